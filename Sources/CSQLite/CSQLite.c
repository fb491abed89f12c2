// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

#include "CSQLite.h"

int reachd_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    // A null pointer would bind NULL.
    return sqlite3_bind_text(statement, index, bytes == NULL ? "" : bytes, bytes == NULL ? 0 : count, SQLITE_TRANSIENT);
}

int reachd_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    if (bytes == NULL || count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
