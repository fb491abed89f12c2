// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// SQLite as Debian ships it. Swift reads its header; here is what Swift cannot: destructors that are macros with casts.
// A connection and its statements are used by one thread at a time.
#ifndef REACHD_CSQLITE_H
#define REACHD_CSQLITE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/// `sqlite3_bind_text` of UTF-8 that SQLite copies before it returns. Returns a result code.
int reachd_sqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, int count);

/// `sqlite3_bind_blob` of bytes that SQLite copies before it returns; no bytes are an empty blob, not NULL. Returns a result
/// code.
int reachd_sqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, int count);

#endif
