// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The part of libpq that the connection uses, without libpq's header: Debian keeps that one in a folder of its own, and it brings
// stdio along. No policy is here: hosts, deadlines, statements and the meaning of errors are decided in Swift.
//
// One connection belongs to one thread at a time. No function here waits for the network.
#ifndef REACHD_CPOSTGRESQL_H
#define REACHD_CPOSTGRESQL_H

#include <stddef.h>
#include <stdint.h>

/// A connection that is being made, is open or has failed.
typedef struct reachd_pq_connection reachd_pq_connection;

/// One answer to a statement: in single-row mode a row, or the end, or an error.
typedef struct reachd_pq_result reachd_pq_result;

/// The next step of a connection that is being made.
enum reachd_pq_step {
    reachd_pq_step_failed = 0,
    reachd_pq_step_await_readable = 1,
    reachd_pq_step_await_writable = 2,
    reachd_pq_step_connected = 3,
};

/// How far a connection has come.
enum reachd_pq_phase {
    reachd_pq_phase_failed = 0,
    reachd_pq_phase_connecting = 1,
    reachd_pq_phase_tls = 2,
    reachd_pq_phase_authentication = 3,
    reachd_pq_phase_open = 4,
};

/// What a result is.
enum reachd_pq_result_kind {
    reachd_pq_result_error = 0,
    /// One row; more may follow.
    reachd_pq_result_row = 1,
    /// The end of the rows, or of a statement without rows.
    reachd_pq_result_end = 2,
    /// COPY, which is not supported: the connection cannot be used after it.
    reachd_pq_result_unsupported = 3,
};

/// The version of libpq that is loaded, as 150018 for 15.18. Any thread.
int32_t reachd_pq_version(void);

/// Parses a connection URI and calls `option` for each parameter that it sets; both texts are valid during the call. Reads
/// neither the environment nor files.
///
/// Returns 1, or 0 with libpq's message in `error`, cut to `size`. The message may quote any part of the URI. Any thread.
int32_t reachd_pq_parse(const char *_Nonnull uri, void *_Nonnull context,
                        void (*_Nonnull option)(void *_Nonnull context, const char *_Nonnull keyword,
                                                const char *_Nonnull value),
                        char *_Nonnull error, size_t size);

/// Begins a connection with the parameters of two arrays that end with NULL. libpq copies both; it treats an empty value like an
/// absent one, and takes absent ones from the environment.
///
/// Returns NULL when there is no memory; a connection may already have failed. The caller finishes it.
reachd_pq_connection *_Nullable reachd_pq_start(const char *_Nullable const *_Nonnull keywords,
                                                const char *_Nullable const *_Nonnull values);

/// Closes the socket and frees the connection. The descriptor is not watched any more.
void reachd_pq_finish(reachd_pq_connection *_Nullable connection);

/// Continues a connection that is being made; may close the socket and open another. Returns a `reachd_pq_step`.
int32_t reachd_pq_poll(reachd_pq_connection *_Nonnull connection);

/// The socket, or -1. libpq owns it.
int32_t reachd_pq_socket(const reachd_pq_connection *_Nonnull connection);

/// Returns a `reachd_pq_phase`.
int32_t reachd_pq_phase(const reachd_pq_connection *_Nonnull connection);

/// Makes sending non-blocking; once, when the connection is open. Returns 1, or 0 on an error.
int32_t reachd_pq_set_nonblocking(reachd_pq_connection *_Nonnull connection);

/// libpq's last message, with line ends; valid until the next call. During the start it contains the SQLSTATE of the server's
/// error behind the severity: `FATAL:  28P01: …`.
const char *_Nonnull reachd_pq_message(const reachd_pq_connection *_Nonnull connection);

/// Whether the server asked for a password and none was given.
int32_t reachd_pq_needs_password(const reachd_pq_connection *_Nonnull connection);

/// The server's version, as 150018 for 15.18; 0 when it is unknown.
int32_t reachd_pq_server_version(const reachd_pq_connection *_Nonnull connection);

/// A parameter that the server reports by itself, or NULL; valid until the next call.
const char *_Nullable reachd_pq_parameter(const reachd_pq_connection *_Nonnull connection, const char *_Nonnull name);

/// Whether the connection is encrypted.
int32_t reachd_pq_uses_tls(const reachd_pq_connection *_Nonnull connection);

/// How many decrypted bytes OpenSSL holds, for which the socket does not become readable.
size_t reachd_pq_pending(const reachd_pq_connection *_Nonnull connection);

/// How many bytes TCP has received on this connection; 0 on a Unix socket.
uint64_t reachd_pq_bytes_received(const reachd_pq_connection *_Nonnull connection);

/// Sends a statement with text parameters, NULL for a null, and asks for one result a row. The server infers the types.
///
/// Returns 1, or 0 on an error. No other statement may be in flight. libpq copies the texts.
int32_t reachd_pq_send(reachd_pq_connection *_Nonnull connection, const char *_Nonnull statement, int32_t count,
                       const char *_Nullable const *_Nonnull values);

/// Writes what is left to send. Returns 0 when nothing is left, 1 when the socket is full, -1 on an error.
int32_t reachd_pq_flush(reachd_pq_connection *_Nonnull connection);

/// Reads what has arrived. Returns 1, or 0 on an error.
int32_t reachd_pq_consume(reachd_pq_connection *_Nonnull connection);

/// Whether `reachd_pq_next_result` would have to wait.
int32_t reachd_pq_is_busy(reachd_pq_connection *_Nonnull connection);

/// The next result of the statement in flight, which the caller frees; NULL after the last. Only when not busy.
reachd_pq_result *_Nullable reachd_pq_next_result(reachd_pq_connection *_Nonnull connection);

/// Frees a result and the texts in it.
void reachd_pq_free_result(reachd_pq_result *_Nullable result);

/// Returns a `reachd_pq_result_kind`.
int32_t reachd_pq_result_kind(const reachd_pq_result *_Nonnull result);

/// How many columns it has.
int32_t reachd_pq_result_columns(const reachd_pq_result *_Nonnull result);

/// The text in a column of a row, `count` bytes, or NULL for a null. Valid until the result is freed.
const uint8_t *_Nullable reachd_pq_result_value(const reachd_pq_result *_Nonnull result, int32_t column,
                                                size_t *_Nonnull count);

/// How many rows a statement changed or returned, in decimal digits; empty when it does not apply. Valid until the result is freed.
const char *_Nonnull reachd_pq_result_affected(const reachd_pq_result *_Nonnull result);

/// The SQLSTATE of an error, or NULL when libpq made it. Valid until the result is freed.
const char *_Nullable reachd_pq_result_state(const reachd_pq_result *_Nonnull result);

/// The server's primary message, or libpq's. Valid until the result is freed.
const char *_Nonnull reachd_pq_result_message(const reachd_pq_result *_Nonnull result);

/// A notification, owned by its receiver.
struct reachd_pq_notification {
    const char *_Nullable channel;
    const char *_Nullable payload;
    int32_t process;
    /// For `reachd_pq_free_notification`.
    void *_Nullable storage;
};

/// Takes the next notification that was read. Returns 1, or 0 when there is none. The caller frees it.
int32_t reachd_pq_take_notification(reachd_pq_connection *_Nonnull connection,
                                    struct reachd_pq_notification *_Nonnull notification);

/// Frees a notification and its texts.
void reachd_pq_free_notification(struct reachd_pq_notification *_Nonnull notification);

/// The SQLSTATE of the fatal error that the server sent outside of a statement, as when it shuts down; empty when there was none.
const char *_Nonnull reachd_pq_notice_state(const reachd_pq_connection *_Nonnull connection);

/// The message of that error, cut to 255 bytes.
const char *_Nonnull reachd_pq_notice_message(const reachd_pq_connection *_Nonnull connection);

#endif
