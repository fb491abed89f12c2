// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Copies the rows of an event log to a new file with the same schema, in commits of a given size, and does nothing else.
// Arguments: the log, the new file, rows per commit. Prints rows per second and microseconds of CPU time per row.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { columns = 13 };

typedef struct {
    int type;
    sqlite3_int64 number;
    char *text;
    int length;
} value;

static void check(int result, sqlite3 *database) {
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
    fprintf(stderr, "commits: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int batch = atoi(words[3]);
    sqlite3 *source, *target;
    check(sqlite3_open_v2(words[1], &source, SQLITE_OPEN_READWRITE, NULL), source);
    sqlite3_stmt *read;
    check(sqlite3_prepare_v2(source, "SELECT * FROM events ORDER BY sequence", -1, &read, NULL), source);
    size_t rows = 0, room = 0;
    value *values = NULL;
    while (sqlite3_step(read) == SQLITE_ROW) {
        if (rows == room) values = realloc(values, (room = room * 2 + 1024) * columns * sizeof *values);
        for (int i = 0; i < columns; i++) {
            value *v = &values[rows * columns + i];
            v->type = sqlite3_column_type(read, i);
            v->number = sqlite3_column_int64(read, i);
            v->length = sqlite3_column_bytes(read, i);
            v->text = v->type == SQLITE_TEXT ? strndup((const char *)sqlite3_column_text(read, i), v->length) : NULL;
        }
        rows++;
    }
    sqlite3_finalize(read);
    check(sqlite3_open(words[2], &target), target);
    check(sqlite3_exec(target, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                               "PRAGMA cache_size = -1024; PRAGMA journal_size_limit = 16777216", NULL, NULL, NULL), target);
    sqlite3_stmt *schema;
    check(sqlite3_prepare_v2(source, "SELECT sql FROM sqlite_schema WHERE name IN ('events', 'transitions') ORDER BY type DESC",
                             -1, &schema, NULL), source);
    while (sqlite3_step(schema) == SQLITE_ROW)
        check(sqlite3_exec(target, (const char *)sqlite3_column_text(schema, 0), NULL, NULL, NULL), target);
    sqlite3_finalize(schema);
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(target, "INSERT INTO events VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", -1, &insert, NULL), target);
    double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t row = 0; row < rows; row++) {
        if (row % batch == 0) check(sqlite3_exec(target, "BEGIN IMMEDIATE", NULL, NULL, NULL), target);
        for (int i = 0; i < columns; i++) {
            value *v = &values[row * columns + i];
            if (v->type == SQLITE_INTEGER) sqlite3_bind_int64(insert, i + 1, v->number);
            else if (v->type == SQLITE_TEXT) sqlite3_bind_text(insert, i + 1, v->text, v->length, SQLITE_STATIC);
            else sqlite3_bind_null(insert, i + 1);
        }
        check(sqlite3_step(insert), target);
        sqlite3_reset(insert);
        if (row % batch == (size_t)batch - 1 || row == rows - 1)
            check(sqlite3_exec(target, "COMMIT", NULL, NULL, NULL), target);
    }
    double seconds = now(CLOCK_MONOTONIC) - start, spent = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%.0f %.2f\n", rows / seconds, spent * 1e6 / rows);
    return 0;
}
