// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Server.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    // Connections taken from one listening socket in one turn, so that those that are open get theirs.
    max_accepts = 64,
    // A client that goes on sending a refused body is read this many times the limit, then cut off.
    overrun_factor = 16,
    // MHD_USE_NO_THREAD_SAFETY, which the header of 0.9 does not have: one thread uses the daemon.
    no_thread_safety = 1 << 19,
};

uint64_t reachd_http_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

// MARK: Deadlines

static void deadline_clear(reachd_http_exchange *exchange) {
    deadline_list *list = exchange->list;
    if (!list) return;
    *(exchange->previous ? &exchange->previous->next : &list->first) = exchange->next;
    *(exchange->next ? &exchange->next->previous : &list->last) = exchange->previous;
    exchange->list = NULL;
    exchange->previous = exchange->next = NULL;
}

void reachd_http_deadline_set(reachd_http_exchange *exchange, deadline_list *list) {
    deadline_clear(exchange);
    exchange->deadline = exchange->server->now + list->duration;
    exchange->list = list;
    exchange->previous = list->last;
    *(list->last ? &list->last->next : &list->first) = exchange;
    list->last = exchange;
}

static void expire(reachd_http_server *server, deadline_list *list) {
    reachd_http_exchange *exchange;
    while ((exchange = list->first) && exchange->deadline <= server->now) {
        deadline_clear(exchange);
        server->counters.slow_connections++;
        // A client that said nothing at all gets no answer to what it did not ask.
        if (exchange->phase != phase_idle) {
            server->configuration.on_refusal(
                server->configuration.context, exchange, reachd_http_refusal_too_slow);
        }
        // The library finds the end of the stream in its next pass and closes.
        shutdown(exchange->descriptor, SHUT_RDWR);
    }
}

// MARK: Bodies that stand still
//
// A chunk's size line that fills the connection's memory leaves the library neither reading nor refusing, and it asks to
// be called again at once, for ever. So while it does not want to wait, connections with a body to come are looked at:
// one with bytes to read that are not read is such a one. When the line fills the memory to the byte nothing is unread;
// then who has sent nothing of a body for a second goes, while for a second there was no moment without work.

static void end_standstill(reachd_http_server *server) {
    const uint64_t pause = second / 20, patience = second;
    if (!server->busy_since || server->now - server->looked_at < pause) return;
    server->looked_at = server->now;
    bool is_long = server->now - server->busy_since > patience;
    reachd_http_exchange *next;
    for (reachd_http_exchange *exchange = server->body.first; exchange; exchange = next) {
        next = exchange->next;
        int unread = 0;
        if (ioctl(exchange->descriptor, FIONREAD, &unread) < 0) unread = 0;
        bool is_still = exchange->seen_unread == unread && exchange->seen_body == exchange->body_seen;
        if (!is_still) exchange->still_since = server->now;
        exchange->seen_unread = unread;
        exchange->seen_body = exchange->body_seen;
        // A body of a known length has no lines between its bytes.
        if (!is_still || !exchange->chunked) continue;
        if (!unread && !(is_long && server->now - exchange->still_since > patience)) continue;
        deadline_clear(exchange);
        server->configuration.on_refusal(server->configuration.context, exchange, reachd_http_refusal_chunk_line);
        shutdown(exchange->descriptor, SHUT_RDWR);
    }
}

// MARK: Clients that have stopped sending
//
// The library forgets that there is more to read when it reads less than it has room for, and an end that came together
// with the last bytes makes no further event: it would notice after the idle timeout. So the ends are watched here, and
// shutting down a direction that is over already gives the library the event it misses. That has to come after the library
// has read the last bytes: before, it is one with the event of the bytes, and the end is forgotten as it was the first time.

static void watch_hangup(reachd_http_exchange *exchange) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET | EPOLLONESHOT, .data.ptr = exchange};
    // Without the watch the idle timeout remains.
    epoll_ctl(exchange->server->hangups, EPOLL_CTL_ADD, exchange->descriptor, &event);
}

static void ended_remove(reachd_http_exchange *exchange) {
    if (!exchange->ended_link) return;
    *exchange->ended_link = exchange->ended_next;
    if (exchange->ended_next) exchange->ended_next->ended_link = exchange->ended_link;
    exchange->ended_link = NULL;
    exchange->ended_next = NULL;
}

static void ended_add(reachd_http_exchange *exchange) {
    if (exchange->ended_link) return;
    exchange->ended_link = &exchange->server->ended;
    exchange->ended_next = exchange->server->ended;
    if (exchange->ended_next) exchange->ended_next->ended_link = &exchange->ended_next;
    exchange->server->ended = exchange;
}

static void take_hangups(reachd_http_server *server) {
    struct epoll_event events[64];
    int count = epoll_wait(server->hangups, events, 64, 0);
    for (int index = 0; index < count; index++) {
        reachd_http_exchange *exchange = events[index].data.ptr;
        exchange->half_closed = true;
        ended_add(exchange);
    }
}

// Where something is unread, another turn is certain: the library has an event of it still to come, wants to go on by
// itself, or waits for room to write.
static void show_ends(reachd_http_server *server) {
    reachd_http_exchange *next;
    for (reachd_http_exchange *exchange = server->ended; exchange; exchange = next) {
        next = exchange->ended_next;
        // Nothing is read before the answer to a request is sent; on_completed puts the connection back.
        bool is_read = exchange->phase == phase_idle || exchange->phase == phase_line || exchange->phase == phase_body;
        int unread = 0;
        if (is_read && ioctl(exchange->descriptor, FIONREAD, &unread) == 0 && unread > 0) continue;
        ended_remove(exchange);
        if (is_read) shutdown(exchange->descriptor, SHUT_RD);
    }
}

// MARK: The library's callbacks

static void on_panic(void *context, const char *file, unsigned int line, const char *reason) {
    (void)context;
    fprintf(stderr, "libmicrohttpd: %s (%s:%u)\n", reason ? reason : "internal error", file, line);
    abort();
}

// Percent-encoding is the router's business: decoded here, `%2F` and `%00` could not be told from what they encode.
static size_t on_unescape(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

static void on_connection(
    void *context, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode code) {
    reachd_http_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        reachd_http_exchange *exchange = calloc(1, sizeof *exchange);
        *socket_context = exchange;
        server->counters.accepted_connections++;
        server->counters.open_connections++;
        if (!exchange) return;
        exchange->server = server;
        exchange->connection = connection;
        exchange->phase = phase_idle;
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        exchange->descriptor = info ? info->connect_fd : -1;
        exchange->listener = server->accepting;
        if (server->listeners[server->accepting].certificate) {
            const union MHD_ConnectionInfo *session =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
            exchange->session = session ? session->tls_session : NULL;
        }
        reachd_http_deadline_set(exchange, &server->header);
        watch_hangup(exchange);
    } else {
        server->counters.open_connections--;
        reachd_http_exchange *exchange = *socket_context;
        *socket_context = NULL;
        if (!exchange) return;
        deadline_clear(exchange);
        ended_remove(exchange);
        // Closing alone is not enough: a child between fork and exec keeps the descriptor, and with it the watch.
        epoll_ctl(server->hangups, EPOLL_CTL_DEL, exchange->descriptor, NULL);
        free(exchange->query);
        free(exchange->fields);
        free(exchange->body);
        if (exchange->answer) reachd_http_response_release(exchange->answer);
        if (exchange->certificate) reachd_http_certificate_release(exchange->certificate);
        free(exchange);
    }
}

// A client's greeting has come: GnuTLS asks what to show it, and keeps pointers into that until the handshake is over.
static int on_greeting(
    gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **chain, unsigned int *count,
    gnutls_privkey_t *key) {
    (void)authorities;
    (void)authority_count;
    (void)algorithms;
    (void)algorithm_count;
    struct MHD_Connection *connection = gnutls_session_get_ptr(session);
    const union MHD_ConnectionInfo *info =
        connection ? MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT) : NULL;
    reachd_http_exchange *exchange = info ? info->socket_context : NULL;
    reachd_http_certificate *certificate =
        exchange ? exchange->server->listeners[exchange->listener].certificate : NULL;
    if (!certificate) return -1;
    reachd_http_certificate_retain(certificate);
    if (exchange->certificate) reachd_http_certificate_release(exchange->certificate);
    exchange->certificate = certificate;
    *chain = certificate->chain;
    *count = certificate->count;
    *key = certificate->key;
    return 0;
}

// The library hands out the query only in decoded pieces, so it is kept here, before it is cut up. The line's end is
// kept too: a NUL in it would end every string of it early.
static void *on_target(void *context, const char *target, struct MHD_Connection *connection) {
    reachd_http_server *server = context;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    reachd_http_exchange *exchange = info ? info->socket_context : NULL;
    if (!exchange) return NULL;
    exchange->phase = phase_line;
    reachd_http_deadline_set(exchange, &server->header);
    exchange->target_end = target ? target + strlen(target) : NULL;
    const char *mark = target ? strchr(target, '?') : NULL;
    if (mark) {
        exchange->query_length = (size_t)(exchange->target_end - mark) - 1;
        exchange->query = malloc(exchange->query_length + 1);
        if (exchange->query) memcpy(exchange->query, mark + 1, exchange->query_length + 1);
        size_t parameters = 1;
        while ((mark = strchr(mark + 1, '&')) && mark[1]) parameters++;
        if (parameters > max_parameters) {
            deadline_clear(exchange);
            server->configuration.on_refusal(
                server->configuration.context, exchange, reachd_http_refusal_too_many_parameters);
            shutdown(exchange->descriptor, SHUT_RDWR);
        }
    }
    return exchange;
}

static void on_completed(
    void *context, struct MHD_Connection *connection, void **request_context,
    enum MHD_RequestTerminationCode code) {
    (void)context;
    (void)connection;
    (void)code;
    reachd_http_exchange *exchange = *request_context;
    *request_context = NULL;
    if (!exchange) return;
    if (exchange->counted) exchange->server->counters.requests_in_flight--;
    exchange->counted = false;
    exchange->phase = phase_idle;
    if (exchange->query) free(exchange->query);
    if (exchange->body) free(exchange->body);
    if (exchange->answer) reachd_http_response_release(exchange->answer);
    exchange->query = NULL;
    exchange->body = NULL;
    exchange->answer = NULL;
    exchange->query_length = exchange->body_length = exchange->body_capacity = exchange->body_seen = 0;
    exchange->overrun = exchange->chunked = false;
    reachd_http_deadline_set(exchange, &exchange->server->unspoken);
    if (exchange->half_closed) ended_add(exchange);
}

// MARK: Requests

static enum MHD_Result refuse(reachd_http_exchange *exchange, reachd_http_refusal refusal) {
    exchange->server->configuration.on_refusal(exchange->server->configuration.context, exchange, refusal);
    return exchange->phase == phase_answering ? MHD_YES : MHD_NO;
}

static enum MHD_Result take_body(reachd_http_exchange *exchange, const char *bytes, size_t count) {
    size_t limit = exchange->server->configuration.body_limit;
    exchange->body_seen += count;
    if (exchange->body_seen > limit) {
        // Only with chunks: the library lets nobody answer in the middle of a body, so the rest is thrown away.
        exchange->overrun = true;
        return exchange->body_seen / overrun_factor > limit ? MHD_NO : MHD_YES;
    }
    if (exchange->body_length + count > exchange->body_capacity) {
        size_t capacity = exchange->body_capacity ? exchange->body_capacity * 2 : 1024;
        while (capacity < exchange->body_length + count) capacity *= 2;
        uint8_t *body = realloc(exchange->body, capacity);
        if (!body) return MHD_NO;
        exchange->body = body;
        exchange->body_capacity = capacity;
    }
    memcpy(exchange->body + exchange->body_length, bytes, count);
    exchange->body_length += count;
    return MHD_YES;
}

static enum MHD_Result deliver(reachd_http_exchange *exchange, const char *method) {
    if (exchange->overrun) return refuse(exchange, reachd_http_refusal_body_too_large);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    reachd_http_request request = {
        .method = method,
        .method_length = strlen(method),
        .path = exchange->path,
        .path_length = exchange->path_length,
        .query = exchange->query,
        .query_length = exchange->query_length,
        .fields = exchange->fields,
        .fields_length = exchange->fields_length,
        .is_chunked = exchange->chunked,
        .body = exchange->body,
        .body_length = exchange->body_length,
        .peer = info ? info->client_addr : NULL,
    };
    exchange->server->configuration.on_request(exchange->server->configuration.context, exchange, &request);
    switch (exchange->phase) {
    case phase_answering:
    case phase_waiting:
    case phase_hijacked:
        return MHD_YES;
    default:
        return MHD_NO;
    }
}

// The library calls again for a request that was suspended and resumed.
static enum MHD_Result answer_deferred(reachd_http_exchange *exchange) {
    reachd_http_response *answer = exchange->answer;
    if (!answer) {
        exchange->server->expected_close = true;
        return MHD_NO;
    }
    exchange->answer = NULL;
    exchange->phase = phase_body;
    int32_t result = reachd_http_exchange_reply(exchange, exchange->answer_status, answer);
    reachd_http_response_release(answer);
    return result == 0 ? MHD_YES : MHD_NO;
}

// Called once with the fields, then for each piece of the body, then once more when the request is complete, and for
// a hijacked or deferred one once more when it was given back.
static enum MHD_Result on_request(
    void *context, struct MHD_Connection *connection, const char *target, const char *method, const char *version,
    const char *bytes, size_t *count, void **request_context) {
    (void)context;
    (void)connection;
    reachd_http_exchange *exchange = *request_context;
    if (!exchange) return MHD_NO;
    switch (exchange->phase) {
    case phase_line: {
        deadline_clear(exchange);
        exchange->phase = phase_body;
        exchange->counted = true;
        exchange->server->counters.requests++;
        exchange->server->counters.requests_in_flight++;
        int refusal = reachd_http_check(exchange, target, method, version);
        // An answer to the first call refuses what is still to come and closes the connection: right for these.
        return refusal < 0 ? MHD_YES : refuse(exchange, (reachd_http_refusal)refusal);
    }
    case phase_body:
        if (*count) {
            size_t taken = *count;
            *count = 0;
            return take_body(exchange, bytes, taken);
        }
        deadline_clear(exchange);
        return deliver(exchange, method);
    case phase_waiting:
        return answer_deferred(exchange);
    case phase_released:
        exchange->server->expected_close = true;
        return MHD_NO;
    default:
        return MHD_NO;
    }
}

int32_t reachd_http_exchange_reply(
    reachd_http_exchange *exchange, uint32_t status, reachd_http_response *response) {
    if (exchange->phase != phase_body) return -1;
    // Before the call: the library may finish with the request inside it.
    exchange->phase = phase_answering;
    deadline_clear(exchange);
    if (MHD_queue_response(exchange->connection, status, (struct MHD_Response *)response) == MHD_YES) return 0;
    exchange->phase = phase_body;
    return -1;
}

void reachd_http_exchange_defer(reachd_http_exchange *exchange) {
    if (exchange->phase != phase_body) return;
    exchange->phase = phase_waiting;
    MHD_suspend_connection(exchange->connection);
}

void reachd_http_exchange_resume(
    reachd_http_exchange *exchange, uint32_t status, reachd_http_response *response) {
    if (exchange->phase != phase_waiting || exchange->answer) {
        if (response) reachd_http_response_release(response);
        return;
    }
    exchange->answer = response;
    exchange->answer_status = status;
    MHD_resume_connection(exchange->connection);
}

int32_t reachd_http_exchange_hijack(reachd_http_exchange *exchange) {
    exchange->phase = phase_hijacked;
    MHD_suspend_connection(exchange->connection);
    return exchange->descriptor;
}

void reachd_http_exchange_release(reachd_http_exchange *exchange) {
    if (exchange->phase != phase_hijacked) return;
    exchange->phase = phase_released;
    MHD_resume_connection(exchange->connection);
}

int32_t reachd_http_exchange_is_chunked(const reachd_http_exchange *exchange) {
    return exchange->chunked;
}

int32_t reachd_http_exchange_descriptor(const reachd_http_exchange *exchange) {
    return exchange->descriptor;
}

// MARK: The server

// Forward secrecy only, and the server's order: its first choices are those with hardware behind them.
static const char priorities[] = "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:%SERVER_PRECEDENCE";

static struct MHD_Daemon *start_daemon(reachd_http_server *server, bool is_secure) {
    const reachd_http_configuration *configuration = &server->configuration;
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)priorities},
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)on_greeting},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned int flags =
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    // Without it the library of the 1.0 series lays a connection that it is given aside and starts it in its next run, when
    // server->accepting may be another socket and the connections that are open are counted too low. Responses, which other
    // threads make, belong to no daemon.
    if (reachd_http_library_is_strict()) flags |= no_thread_safety;
    return MHD_start_daemon(
        is_secure ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, on_request, server,
        MHD_OPTION_EXTERNAL_LOGGER, reachd_http_on_log, (void *)server,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, (void *)server,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, (void *)server,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, (void *)server,
        MHD_OPTION_UNESCAPE_CALLBACK, on_unescape, (void *)server,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned int)configuration->connection_limit,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned int)configuration->connection_limit_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)configuration->idle_timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, configuration->pool_size,
        // What strictness refuses is refused above and answered where the library of 0.9 would close or answer twice, and
        // would let most of it pass.
        MHD_OPTION_STRICT_FOR_CLIENT, (int)reachd_http_library_is_strict(),
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, (int)1,
        MHD_OPTION_ARRAY, is_secure ? secure : secure + 2,
        MHD_OPTION_END);
}

const char *reachd_http_library_version(void) {
    return MHD_get_version();
}

bool reachd_http_library_is_strict(void) {
    return strncmp(MHD_get_version(), "0.", 2) != 0;
}

static int epoll_of(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    return info ? info->epoll_fd : -1;
}

reachd_http_server *reachd_http_server_create(const reachd_http_configuration *configuration, int32_t wake) {
    reachd_http_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->configuration = *configuration;
    server->wake = wake;
    server->hangups = epoll_create1(EPOLL_CLOEXEC);
    if (server->hangups < 0) {
        free(server);
        return NULL;
    }
    server->now = reachd_http_clock();
    server->log_tokens = log_burst;
    server->log_refilled = server->now;
    server->header.duration = configuration->header_deadline;
    server->body.duration = configuration->body_deadline;
    server->unspoken.duration = configuration->header_deadline + configuration->idle_timeout * second;
    MHD_set_panic_func(on_panic, NULL);
    server->daemon = start_daemon(server, false);
    server->epoll = epoll_of(server->daemon);
    server->secure_epoll = -1;
    if (server->epoll < 0) {
        int code = errno ? errno : EINVAL;
        if (server->daemon) MHD_stop_daemon(server->daemon);
        close(server->hangups);
        free(server);
        errno = code;
        return NULL;
    }
    return server;
}

int32_t reachd_http_server_listen(
    reachd_http_server *server, int32_t descriptor, reachd_http_certificate *certificate) {
    if (server->listener_count == max_listeners) {
        errno = ENOSPC;
        return -1;
    }
    if (certificate && !server->secure_daemon) {
        server->secure_daemon = start_daemon(server, true);
        server->secure_epoll = epoll_of(server->secure_daemon);
        if (server->secure_epoll < 0) {
            if (!errno) errno = EPROTONOSUPPORT;
            return -1;
        }
    }
    if (certificate) reachd_http_certificate_retain(certificate);
    server->listeners[server->listener_count] = (listener){descriptor, certificate};
    return (int32_t)server->listener_count++;
}

void reachd_http_server_certify(
    reachd_http_server *server, int32_t index, reachd_http_certificate *certificate) {
    if (index < 0 || (size_t)index >= server->listener_count || !server->listeners[index].certificate) return;
    reachd_http_certificate_retain(certificate);
    reachd_http_certificate_release(server->listeners[index].certificate);
    server->listeners[index].certificate = certificate;
}

// The certificates stay: handshakes that have begun need them.
void reachd_http_server_quiesce(reachd_http_server *server) {
    for (size_t index = 0; index < server->listener_count; index++) {
        if (server->listeners[index].descriptor >= 0) close(server->listeners[index].descriptor);
        server->listeners[index].descriptor = -1;
    }
}

static void accept_connections(reachd_http_server *server, size_t index) {
    int listener = server->listeners[index].descriptor;
    struct MHD_Daemon *daemon =
        server->listeners[index].certificate ? server->secure_daemon : server->daemon;
    server->accepting = index;
    for (int count = 0; count < max_accepts; count++) {
        if (server->counters.open_connections >= server->configuration.connection_limit) return;
        struct sockaddr_storage address;
        memset(&address, 0, sizeof address);
        socklen_t length = sizeof address;
        int descriptor = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) {
            switch (errno) {
            case EMFILE:
            case ENFILE:
            case ENOBUFS:
            case ENOMEM:
                // Waiting for the socket would spin: it stays ready. Something may be free again soon.
                server->counters.failed_accepts++;
                server->accept_again = server->now + second / 10;
                return;
            case EINTR:
            case ECONNABORTED:
            case EPROTO:
                continue;
            default:
                return;
            }
        }
        if (length > sizeof address) length = sizeof address;
        // Takes the descriptor in any case; refuses when the address has too many connections.
        MHD_add_connection(daemon, descriptor, (struct sockaddr *)&address, length);
    }
}

static uint64_t earlier(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

static int wait_milliseconds(reachd_http_server *server, uint64_t wait) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    struct MHD_Daemon *daemons[] = {server->daemon, server->secure_daemon};
    for (int index = 0; index < 2; index++) {
        if (!daemons[index] || MHD_get_timeout(daemons[index], &milliseconds) != MHD_YES) continue;
        if (!milliseconds) {
            if (!server->busy_since) server->busy_since = server->looked_at = server->now;
            return 0;
        }
        wait = earlier(wait, milliseconds * (second / 1000));
    }
    server->busy_since = 0;
    uint64_t deadline = UINT64_MAX;
    if (server->header.first) deadline = earlier(deadline, server->header.first->deadline);
    if (server->body.first) deadline = earlier(deadline, server->body.first->deadline);
    if (server->unspoken.first) deadline = earlier(deadline, server->unspoken.first->deadline);
    if (server->accept_again) deadline = earlier(deadline, server->accept_again);
    if (deadline != UINT64_MAX) {
        uint64_t now = reachd_http_clock();
        wait = earlier(wait, deadline > now ? deadline - now : 0);
    }
    if (wait == UINT64_MAX) return -1;
    uint64_t rounded = (wait + second / 1000 - 1) / (second / 1000);
    return rounded > INT_MAX ? INT_MAX : (int)rounded;
}

void reachd_http_server_turn(reachd_http_server *server, uint64_t wait) {
    // poll(2) passes over a descriptor of -1.
    struct pollfd polled[4 + max_listeners] = {
        {.fd = server->wake, .events = POLLIN},
        {.fd = server->epoll, .events = POLLIN},
        {.fd = server->hangups, .events = POLLIN},
        {.fd = server->secure_epoll, .events = POLLIN},
    };
    const size_t first_listener = 4;
    size_t count = first_listener;
    // At the limit the clients wait in the sockets' backlogs.
    if (server->counters.open_connections < server->configuration.connection_limit && !server->accept_again) {
        for (size_t index = 0; index < server->listener_count; index++) {
            polled[count++] = (struct pollfd){.fd = server->listeners[index].descriptor, .events = POLLIN};
        }
    }
    int ready = poll(polled, count, wait_milliseconds(server, wait));
    server->now = reachd_http_clock();
    if (server->accept_again <= server->now) server->accept_again = 0;
    if (ready > 0) {
        if (polled[0].revents) {
            eventfd_t value;
            eventfd_read(server->wake, &value);
        }
        for (size_t index = first_listener; index < count; index++) {
            if (polled[index].revents) accept_connections(server, index - first_listener);
        }
    }
    MHD_run(server->daemon);
    if (server->secure_daemon) MHD_run(server->secure_daemon);
    if (ready > 0 && polled[2].revents) take_hangups(server);
    show_ends(server);
    expire(server, &server->header);
    expire(server, &server->body);
    expire(server, &server->unspoken);
    end_standstill(server);
}

reachd_http_counters reachd_http_server_counters(const reachd_http_server *server) {
    return server->counters;
}

void reachd_http_server_destroy(reachd_http_server *server) {
    reachd_http_server_quiesce(server);
    MHD_stop_daemon(server->daemon);
    if (server->secure_daemon) MHD_stop_daemon(server->secure_daemon);
    for (size_t index = 0; index < server->listener_count; index++) {
        if (server->listeners[index].certificate) reachd_http_certificate_release(server->listeners[index].certificate);
    }
    close(server->hangups);
    free(server);
}
