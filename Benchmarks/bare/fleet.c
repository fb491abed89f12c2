// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Parts of a fleet over libpq alone, for Benchmarks/fleet:
//
//     fleet sink PORT                                        accepts connections and closes them
//     fleet write CONNECTION STATEMENTS NODES TARGETS TURNS  nodes of the location `sim` report changes of their targets
//     fleet coordinate CONNECTION STATEMENTS ROWS            processes as many reports like a coordinator, with invented verdicts
//     fleet renew CONNECTION STATEMENTS NODES SECONDS CONNECTIONS
//                                                            nodes renew their leases once a second each
//
// STATEMENTS is a folder with reachd's statements, a file for each. Targets are named v0, v1, … They are sent as reachd sends them:
// not prepared, with parameters and results as text.
#include <arpa/inet.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { batch_limit = 1024, round_limit = 4096, window = 16384, target_limit = 200000, parameter_limit = 46 };

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void sleep_for(double seconds) {
    if (seconds <= 0) return;
    struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static int64_t instant(void) { return (int64_t)(now(CLOCK_REALTIME) * 1e6); }

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("fleet: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

// MARK: Statements

static const char *connection_info, *statement_folder;

static PGconn *open_connection(void) {
    PGconn *connection = PQconnectdb(connection_info);
    if (PQstatus(connection) != CONNECTION_OK) fail("%s", PQerrorMessage(connection));
    return connection;
}

static char *statement(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", statement_folder, name);
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot read %s", path);
    char *text = calloc(1, 1 << 16);
    if (fread(text, 1, (1 << 16) - 1, file) == 0) fail("%s is empty", path);
    fclose(file);
    return text;
}

static PGresult *execute(PGconn *connection, const char *text, int count, const char *const *values) {
    PGresult *result = PQexecParams(connection, text, count, NULL, values, NULL, NULL, 0);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail("%s", PQerrorMessage(connection));
    return result;
}

// A text that grows: an array literal or a number.
typedef struct {
    char *bytes;
    size_t length, room;
} text;

static void append(text *t, const char *bytes, size_t length) {
    if (t->length + length + 1 > t->room) t->bytes = realloc(t->bytes, t->room = (t->length + length + 64) * 2);
    memcpy(t->bytes + t->length, bytes, length);
    t->bytes[t->length += length] = 0;
}

static void begin(text *t) {
    t->length = 0;
    append(t, "{", 1);
}

static void separate(text *t) {
    if (t->length > 1) append(t, ",", 1);
}

static void add_number(text *t, int64_t number) {
    char digits[24];
    separate(t);
    append(t, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number));
}

static void add_text(text *t, const char *value) {
    separate(t);
    if (!value) return append(t, "NULL", 4);
    append(t, "\"", 1);
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\') append(t, "\\", 1);
        append(t, c, 1);
    }
    append(t, "\"", 1);
}

static void finish(text *t) { append(t, "}", 1); }

static void set_number(text *t, int64_t number) {
    char digits[24];
    t->length = 0;
    append(t, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number));
}

static const char *refused = "the connection was refused by 127.0.0.1 port 18080";

// MARK: Writing

typedef struct {
    int target, placement, shard;
    int64_t token;
} owned;

typedef struct {
    char name[16];
    char incarnation[24];
    int64_t position;
    owned *targets;
    int count;
    pthread_t thread;
} node;

static int64_t turn_count;
static int64_t sent, done;

static void enroll(PGconn *connection, node *n, int number, const char *location) {
    snprintf(n->name, sizeof n->name, "sim-%d", number);
    const char *values[] = {n->name, location, NULL, "bare", "1000000", "sim", "55000000"};
    PGresult *result = execute(connection, statement("register_node"), 7, values);
    snprintf(n->incarnation, sizeof n->incarnation, "%s", PQgetvalue(result, 0, 0));
    n->position = atoll(PQgetvalue(result, 0, 1));
    PQclear(result);
}

static int read_targets(PGconn *connection, node *n) {
    const char *values[] = {n->name};
    PGresult *result = execute(connection,
                               "SELECT t.ordinal, t.id, t.spec, t.placement, t.shard, a.token FROM assignments a "
                               "JOIN targets t ON t.placement = a.placement AND t.shard = a.shard "
                               "WHERE a.node = $1 ORDER BY t.ordinal",
                               1, values);
    n->count = PQntuples(result);
    n->targets = calloc((size_t)n->count + 1, sizeof *n->targets);
    for (int i = 0; i < n->count; i++)
        n->targets[i] = (owned){atoi(PQgetvalue(result, i, 1) + 1), atoi(PQgetvalue(result, i, 3)),
                                atoi(PQgetvalue(result, i, 4)), atoll(PQgetvalue(result, i, 5))};
    PQclear(result);
    return n->count;
}

// A node's reports: all its targets turn down, then up, and so on.
static void *report(void *argument) {
    node *n = argument;
    PGconn *connection = open_connection();
    const char *sql = statement("store_reports");
    text columns[14] = {0};
    const char *values[18] = {n->name, n->incarnation, "sim", [17] = "false"};
    int64_t rows = turn_count * n->count;
    for (int64_t row = 0; row < rows;) {
        while (__atomic_load_n(&sent, __ATOMIC_RELAXED) - __atomic_load_n(&done, __ATOMIC_RELAXED) > window) sleep_for(0.001);
        for (int i = 0; i < 14; i++) begin(&columns[i]);
        int count = 0;
        for (; count < batch_limit && row < rows; count++, row++) {
            owned *t = &n->targets[row % n->count];
            int is_down = row / n->count % 2 == 0;
            char id[16];
            snprintf(id, sizeof id, "v%d", t->target);
            add_number(&columns[0], ++n->position);
            add_text(&columns[1], "vote");
            add_number(&columns[2], t->placement);
            add_number(&columns[3], t->shard);
            add_text(&columns[4], "sim");
            add_number(&columns[5], t->token);
            add_text(&columns[6], id);
            add_text(&columns[7], is_down ? "down" : "up");
            add_text(&columns[8], is_down ? "target" : NULL);
            add_text(&columns[9], is_down ? "refused" : NULL);
            add_text(&columns[10], is_down ? refused : NULL);
            add_number(&columns[11], instant());
            add_number(&columns[12], instant());
            add_text(&columns[13], NULL);
        }
        for (int i = 0; i < 14; i++) {
            finish(&columns[i]);
            values[3 + i] = columns[i].bytes;
        }
        PGresult *result = execute(connection, sql, 18, values);
        if (PQntuples(result) != 1) fail("the reports of %s were rejected", n->name);
        PQclear(result);
        __atomic_fetch_add(&sent, count, __ATOMIC_RELAXED);
    }
    PQfinish(connection);
    return NULL;
}

static int64_t number(PGconn *connection, const char *sql) {
    PGresult *result = execute(connection, sql, 0, NULL);
    int64_t value = atoll(PQgetvalue(result, 0, 0));
    PQclear(result);
    return value;
}

static int write_reports(int nodes, int targets, int turns) {
    PGconn *connection = open_connection();
    node *all = calloc((size_t)nodes, sizeof *all);
    for (int i = 0; i < nodes; i++) enroll(connection, &all[i], i, "sim");
    for (int found = 0; found != targets; sleep_for(0.05)) {
        found = 0;
        for (int i = 0; i < nodes; i++) found += read_targets(connection, &all[i]);
    }
    printf("ready\n");
    fflush(stdout);
    if (getchar() == EOF) return 1;
    turn_count = turns;
    int64_t base = number(connection, "SELECT seq FROM log_head"), total = (int64_t)turns * targets;
    double start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < nodes; i++) pthread_create(&all[i].thread, NULL, report, &all[i]);
    while (done < total) {
        __atomic_store_n(&done, number(connection, "SELECT seq FROM log_head") - base, __ATOMIC_RELAXED);
        sleep_for(0.005);
    }
    printf("%lld %.6f\n", (long long)total, now(CLOCK_MONOTONIC) - start);
    for (int i = 0; i < nodes; i++) pthread_join(all[i].thread, NULL);
    return 0;
}

// MARK: Coordinating

static int last_row[target_limit], place_of[target_limit];

static int coordinate(int64_t rows) {
    PGconn *connection = open_connection();
    const char *claim = statement("claim_coordination"), *inbox = statement("inbox"), *standing = statement("standing"),
               *votes = statement("votes"), *parents = statement("blocking_parents"), *write = statement("write_round");
    node self = {0};
    enroll(connection, &self, 9999, "bare");
    PGresult *result;
    for (;; sleep_for(0.02)) {
        const char *values[] = {self.name, self.incarnation, "55000000"};
        result = execute(connection, claim, 3, values);
        if (PQntuples(result) == 1) break;
        PQclear(result);
    }
    text token = {0}, ids = {0}, floor = {0}, stamp = {0}, columns[parameter_limit] = {{0}};
    set_number(&token, atoll(PQgetvalue(result, 0, 1)));
    set_number(&floor, 0);
    PQclear(result);
    printf("ready\n");
    fflush(stdout);
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    int64_t processed = 0, rounds = 0;
    while (processed < rows) {
        const char *limits[] = {floor.bytes, "4096"};
        result = execute(connection, inbox, 2, limits);
        int count = PQntuples(result);
        if (count == 0) {
            PQclear(result);
            sleep_for(0.002);
            continue;
        }
        begin(&ids);
        for (int i = 0; i < count; i++) {
            int target = atoi(PQgetvalue(result, i, 7) + 1);
            last_row[target] = -1;
        }
        for (int i = count - 1; i >= 0; i--) {
            int target = atoi(PQgetvalue(result, i, 7) + 1);
            if (last_row[target] >= 0) continue;
            last_row[target] = i;
            add_text(&ids, PQgetvalue(result, i, 7));
        }
        finish(&ids);
        const char *keys[] = {ids.bytes};
        PGresult *targets = execute(connection, standing, 1, keys);
        PQclear(execute(connection, votes, 1, keys));
        PQclear(execute(connection, parents, 1, keys));
        for (int i = 0; i < PQntuples(targets); i++) place_of[atoi(PQgetvalue(targets, i, 0) + 1)] = i;
        for (int i = 0; i < parameter_limit; i++) begin(&columns[i]);
        for (int i = 0; i < count; i++) {
            const char *target = PQgetvalue(result, i, 7), *state = PQgetvalue(result, i, 8);
            int key = atoi(target + 1), is_down = state[0] == 'd';
            const char *cause = is_down ? "target" : NULL, *reason = is_down ? "refused" : NULL, *detail = is_down ? refused : NULL;
            int64_t since = atoll(PQgetvalue(result, i, 12));
            add_number(&columns[5], atoll(PQgetvalue(result, i, 0)));
            if (last_row[key] == i) {
                add_text(&columns[6], target);
                add_text(&columns[7], "sim");
                add_text(&columns[8], state);
                add_text(&columns[9], cause);
                add_text(&columns[10], reason);
                add_text(&columns[11], detail);
                add_number(&columns[12], since);
                add_number(&columns[13], atoll(PQgetvalue(result, i, 5)));
                add_text(&columns[14], PQgetvalue(result, i, 1));
                add_text(&columns[45], NULL);
                add_text(&columns[15], target);
                add_number(&columns[16], atoll(PQgetvalue(targets, place_of[key], 7)));
                add_text(&columns[17], state);
                add_text(&columns[18], cause);
                add_text(&columns[19], reason);
                add_text(&columns[20], detail);
                add_number(&columns[21], since);
                add_text(&columns[22], is_down ? "quorum" : "answering");
            }
            char data[640];
            snprintf(data, sizeof data,
                     "{\"target\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"reason\":{\"code\":\"%s\",\"detail\":\"%s\"},"
                     "\"cause\":\"%s\",\"previous_since\":\"2026-01-01T00:00:00.000Z\",\"quorum\":{\"watchers\":1,"
                     "\"needed\":1,\"well\":%d,\"ill\":0,\"against\":%d,\"void\":0},\"at\":\"2026-01-01T00:00:00.000Z\"}",
                     target, is_down ? "up" : "down", state, is_down ? "refused" : "", is_down ? refused : "",
                     is_down ? "target" : "", !is_down, is_down);
            add_text(&columns[23], target);
            add_text(&columns[24], "state");
            add_text(&columns[25], NULL);
            add_text(&columns[26], "{}");
            add_text(&columns[27], is_down ? "up" : "down");
            add_text(&columns[28], state);
            add_text(&columns[29], reason);
            add_text(&columns[30], cause);
            add_text(&columns[31], data);
            add_number(&columns[32], since);
            add_text(&columns[33], "true");
        }
        set_number(&stamp, instant());
        // The columns are numbered like the parameters, from 1.
        const char *values[45];
        for (int i = 5; i < parameter_limit; i++) {
            finish(&columns[i]);
            values[i - 1] = columns[i].bytes;
        }
        values[0] = self.name;
        values[1] = self.incarnation;
        values[2] = token.bytes;
        values[3] = "55000000";
        values[43] = stamp.bytes;
        PQclear(targets);
        PQclear(result);
        result = execute(connection, write, 45, values);
        if (PQntuples(result) != 1) fail("the round was rejected");
        if (atoi(PQgetvalue(result, 0, 2)) != count) fail("%s of %d events were written", PQgetvalue(result, 0, 2), count);
        PQclear(result);
        processed += count;
        rounds++;
    }
    printf("%lld %.6f\n", (long long)rounds, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    const char *values[] = {self.name, self.incarnation, token.bytes, "0"};
    PQclear(execute(connection, statement("keep_coordination"), 4, values));
    return 0;
}

// MARK: Renewing

typedef struct {
    int first, count, seconds, made;
    double *times;
    node *nodes;
    pthread_t thread;
} lane;

static void *renew(void *argument) {
    lane *l = argument;
    PGconn *connection = open_connection();
    const char *sql = statement("renew_lease");
    double start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < l->count * l->seconds; i++) {
        sleep_for(start + (double)i / l->count - now(CLOCK_MONOTONIC));
        node *n = &l->nodes[l->first + i % l->count];
        const char *values[] = {n->name, n->incarnation, "5000000", "0", NULL, "12", "850", NULL, "false"};
        double sent = now(CLOCK_MONOTONIC);
        PGresult *result = execute(connection, sql, 9, values);
        if (PQntuples(result) != 1) fail("a renewal was rejected");
        PQclear(result);
        l->times[l->made++] = now(CLOCK_MONOTONIC) - sent;
    }
    PQfinish(connection);
    return NULL;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int renew_all(int count, int seconds, int connections) {
    PGconn *connection = open_connection();
    node *nodes = calloc((size_t)count, sizeof *nodes);
    lane *lanes = calloc((size_t)connections, sizeof *lanes);
    for (int i = 0; i < count; i++) enroll(connection, &nodes[i], i, "sim");
    printf("ready\n");
    fflush(stdout);
    if (getchar() == EOF) return 1;
    double start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < connections; i++) {
        lane *l = &lanes[i];
        l->first = count * i / connections;
        l->count = count * (i + 1) / connections - l->first;
        l->seconds = seconds;
        l->nodes = nodes;
        l->times = calloc((size_t)(l->count * seconds) + 1, sizeof(double));
        pthread_create(&l->thread, NULL, renew, l);
    }
    int made = 0;
    double *times = calloc((size_t)(count * seconds) + 1, sizeof *times);
    for (int i = 0; i < connections; i++) {
        pthread_join(lanes[i].thread, NULL);
        memcpy(times + made, lanes[i].times, (size_t)lanes[i].made * sizeof *times);
        made += lanes[i].made;
    }
    double elapsed = now(CLOCK_MONOTONIC) - start;
    qsort(times, (size_t)made, sizeof *times, compare);
    printf("%.1f %.3f %.3f %.3f\n", made / elapsed, times[made / 2] * 1e3, times[made * 99 / 100] * 1e3, times[made - 1] * 1e3);
    return 0;
}

// MARK: The target

static void sink(int port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 || listen(descriptor, 4096) != 0)
        fail("cannot listen on port %d", port);
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        int connection = accept(descriptor, NULL, NULL);
        if (connection >= 0) close(connection);
    }
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "sink") == 0) sink(atoi(words[2]));
    if (count < 5) return 2;
    connection_info = words[2];
    statement_folder = words[3];
    if (strcmp(words[1], "write") == 0 && count == 7) return write_reports(atoi(words[4]), atoi(words[5]), atoi(words[6]));
    if (strcmp(words[1], "coordinate") == 0) return coordinate(atoll(words[4]));
    if (strcmp(words[1], "renew") == 0 && count == 7) return renew_all(atoi(words[4]), atoi(words[5]), atoi(words[6]));
    return 2;
}
