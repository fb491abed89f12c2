// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What the parts of the server share.
#ifndef REACHD_SERVER_H
#define REACHD_SERVER_H

#include "Certificate.h"

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

enum {
    max_listeners = 16,
    // With more the library of 0.9 runs out of the connection's memory, queues an answer, forgets about it and waits. Each takes
    // 64 bytes of the half of the memory that requests are not read into.
    max_parameters = 200,
    log_burst = 10,
};

static const uint64_t second = 1000000000;

typedef struct deadline_list {
    reachd_http_exchange *first, *last;
    uint64_t duration;
} deadline_list;

typedef enum {
    phase_idle,       // Between requests.
    phase_line,       // The request's line has come.
    phase_body,       // The fields have come and were accepted.
    phase_waiting,    // The request is complete and suspended until its answer is there.
    phase_answering,  // A response is queued.
    phase_hijacked,
    phase_released,
} exchange_phase;

struct reachd_http_exchange {
    reachd_http_server *server;
    struct MHD_Connection *connection;
    // All connections of one list have the same time, so the lists are sorted by themselves.
    deadline_list *list;
    reachd_http_exchange *previous, *next;
    uint64_t deadline;
    int descriptor;
    exchange_phase phase;
    bool counted;
    bool overrun;
    bool chunked;
    bool half_closed;
    // In the server's list of those whose end the library has not been shown; no link: in none.
    reachd_http_exchange *ended_next;
    reachd_http_exchange *_Nullable *_Nullable ended_link;
    // What was unread and what had come when it was last looked at for standing still, and since when it does.
    int seen_unread;
    size_t seen_body;
    uint64_t still_since;
    // With TLS: the session, and what it shows; `held` bytes of what was offered are encrypted and wait to be sent.
    gnutls_session_t session;
    size_t listener;
    reachd_http_certificate *certificate;
    size_t held;
    const char *target_end;
    char *query;
    size_t query_length;
    const char *path;
    size_t path_length;
    // As reachd_http_request has them; the connection's own copy, which the next request uses again.
    char *fields;
    size_t fields_length, fields_capacity;
    uint8_t *body;
    size_t body_length, body_capacity, body_seen;
    // A deferred answer between reachd_http_exchange_resume and the library's next call.
    reachd_http_response *answer;
    uint32_t answer_status;
};

typedef struct {
    int descriptor;
    reachd_http_certificate *certificate;
} listener;

struct reachd_http_server {
    reachd_http_configuration configuration;
    // The library speaks either TLS or not in one daemon; the second is made when a socket asks for it.
    struct MHD_Daemon *daemon, *secure_daemon;
    int wake, epoll, secure_epoll, hangups;
    listener listeners[max_listeners];
    size_t listener_count;
    // The socket from which a connection is being taken.
    size_t accepting;
    uint64_t now;
    uint64_t accept_again;
    // Since when the library wants to go on without waiting; 0 when it does not.
    uint64_t busy_since, looked_at;
    // Before the first and any later request line; while the fields come; while the body comes.
    deadline_list unspoken, header, body;
    // Connections whose clients have stopped sending, perhaps with something that is unread.
    reachd_http_exchange *ended;
    reachd_http_counters counters;
    uint64_t log_refilled;
    uint32_t log_tokens;
    uint64_t log_left_out;
    bool expected_close;
};

/// The monotonic clock, in nanoseconds.
uint64_t reachd_http_clock(void);

/// Gives a connection a list's time from now on, in the place of the time that it had.
void reachd_http_deadline_set(reachd_http_exchange *exchange, deadline_list *list);

/// Holds a request against what the library lets pass, and notes where its parts are.
/// - Returns: -1 when all is well, else the reason for the refusal.
int reachd_http_check(
    reachd_http_exchange *exchange, const char *target, const char *method, const char *version);

/// Whether the library is of the 1.0 series, which refuses malformed lines by itself when it is told to be strict.
bool reachd_http_library_is_strict(void);

/// The library has a line for the log; `context` is the server.
void reachd_http_on_log(void *context, const char *format, va_list arguments);

#pragma clang assume_nonnull end

#endif
