// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CPostgreSQL.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <postgresql/libpq-fe.h>
#include <postgresql/postgres_ext.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct reachd_pq_connection {
    PGconn *link;
    char notice_state[6];
    char notice_message[256];
};

static PGresult *unwrap(const reachd_pq_result *result) {
    return (PGresult *)result;
}

static void copy_text(char *target, size_t size, const char *text) {
    size_t count = strnlen(text, size - 1);
    memcpy(target, text, count);
    target[count] = '\0';
}

int32_t reachd_pq_version(void) {
    return PQlibVersion();
}

int32_t reachd_pq_parse(const char *uri, void *context,
                        void (*option)(void *context, const char *keyword, const char *value), char *error, size_t size) {
    char *message = NULL;
    PQconninfoOption *options = PQconninfoParse(uri, &message);
    if (options == NULL) {
        copy_text(error, size, message == NULL ? "out of memory" : message);
        PQfreemem(message);
        return 0;
    }
    for (const PQconninfoOption *each = options; each->keyword != NULL; each++) {
        if (each->val != NULL) option(context, each->keyword, each->val);
    }
    PQconninfoFree(options);
    return 1;
}

// Replaces libpq's own receiver, which prints. The server's last words before it closes an idle connection come this way.
static void receive_notice(void *context, const PGresult *result) {
    reachd_pq_connection *self = context;
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (severity == NULL || state == NULL || message == NULL) return;
    if (strcmp(severity, "FATAL") != 0 && strcmp(severity, "PANIC") != 0) return;
    copy_text(self->notice_state, sizeof self->notice_state, state);
    copy_text(self->notice_message, sizeof self->notice_message, message);
}

reachd_pq_connection *reachd_pq_start(const char *const *keywords, const char *const *values) {
    reachd_pq_connection *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    const int expand_database = 0;
    self->link = PQconnectStartParams(keywords, values, expand_database);
    if (self->link == NULL) {
        free(self);
        return NULL;
    }
    (void)PQsetNoticeReceiver(self->link, receive_notice, self);
    // The only way to learn the SQLSTATE of an error during the start: libpq puts it into the message.
    (void)PQsetErrorVerbosity(self->link, PQERRORS_VERBOSE);
    return self;
}

void reachd_pq_finish(reachd_pq_connection *connection) {
    if (connection == NULL) return;
    PQfinish(connection->link);
    free(connection);
}

int32_t reachd_pq_poll(reachd_pq_connection *connection) {
    switch (PQconnectPoll(connection->link)) {
    case PGRES_POLLING_READING: return reachd_pq_step_await_readable;
    case PGRES_POLLING_WRITING: return reachd_pq_step_await_writable;
    case PGRES_POLLING_OK: return reachd_pq_step_connected;
    default: return reachd_pq_step_failed;
    }
}

int32_t reachd_pq_socket(const reachd_pq_connection *connection) {
    return PQsocket(connection->link);
}

int32_t reachd_pq_phase(const reachd_pq_connection *connection) {
    switch (PQstatus(connection->link)) {
    case CONNECTION_BAD: return reachd_pq_phase_failed;
    case CONNECTION_OK: return reachd_pq_phase_open;
    case CONNECTION_STARTED:
    case CONNECTION_NEEDED: return reachd_pq_phase_connecting;
    case CONNECTION_SSL_STARTUP: return reachd_pq_phase_tls;
    default: return reachd_pq_phase_authentication;
    }
}

int32_t reachd_pq_set_nonblocking(reachd_pq_connection *connection) {
    return PQsetnonblocking(connection->link, 1) == 0;
}

const char *reachd_pq_message(const reachd_pq_connection *connection) {
    return PQerrorMessage(connection->link);
}

int32_t reachd_pq_needs_password(const reachd_pq_connection *connection) {
    return PQconnectionNeedsPassword(connection->link);
}

int32_t reachd_pq_server_version(const reachd_pq_connection *connection) {
    return PQserverVersion(connection->link);
}

const char *reachd_pq_parameter(const reachd_pq_connection *connection, const char *name) {
    return PQparameterStatus(connection->link, name);
}

int32_t reachd_pq_uses_tls(const reachd_pq_connection *connection) {
    return PQsslInUse(connection->link);
}

size_t reachd_pq_pending(const reachd_pq_connection *connection) {
    const SSL *session = PQsslStruct(connection->link, "OpenSSL");
    int count = session == NULL ? 0 : SSL_pending(session);
    return count > 0 ? (size_t)count : 0;
}

uint64_t reachd_pq_bytes_received(const reachd_pq_connection *connection) {
    struct tcp_info information = {0};
    socklen_t size = sizeof information;
    if (getsockopt(PQsocket(connection->link), IPPROTO_TCP, TCP_INFO, &information, &size) != 0) return 0;
    return information.tcpi_bytes_received;
}

int32_t reachd_pq_send(reachd_pq_connection *connection, const char *statement, int32_t count, const char *const *values) {
    const int text_result = 0;
    if (PQsendQueryParams(connection->link, statement, count, NULL, values, NULL, NULL, text_result) != 1) return 0;
    return PQsetSingleRowMode(connection->link);
}

int32_t reachd_pq_flush(reachd_pq_connection *connection) {
    return PQflush(connection->link);
}

int32_t reachd_pq_consume(reachd_pq_connection *connection) {
    return PQconsumeInput(connection->link);
}

int32_t reachd_pq_is_busy(reachd_pq_connection *connection) {
    return PQisBusy(connection->link);
}

reachd_pq_result *reachd_pq_next_result(reachd_pq_connection *connection) {
    return (reachd_pq_result *)PQgetResult(connection->link);
}

void reachd_pq_free_result(reachd_pq_result *result) {
    PQclear(unwrap(result));
}

int32_t reachd_pq_result_kind(const reachd_pq_result *result) {
    switch (PQresultStatus(unwrap(result))) {
    case PGRES_SINGLE_TUPLE: return reachd_pq_result_row;
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY: return reachd_pq_result_end;
    case PGRES_BAD_RESPONSE:
    case PGRES_NONFATAL_ERROR:
    case PGRES_FATAL_ERROR: return reachd_pq_result_error;
    default: return reachd_pq_result_unsupported;
    }
}

int32_t reachd_pq_result_columns(const reachd_pq_result *result) {
    return PQnfields(unwrap(result));
}

const uint8_t *reachd_pq_result_value(const reachd_pq_result *result, int32_t column, size_t *count) {
    const PGresult *row = unwrap(result);
    int length = PQgetlength(row, 0, column);
    *count = length > 0 ? (size_t)length : 0;
    if (PQntuples(row) < 1 || PQgetisnull(row, 0, column)) return NULL;
    return (const uint8_t *)PQgetvalue(row, 0, column);
}

const char *reachd_pq_result_affected(const reachd_pq_result *result) {
    return PQcmdTuples(unwrap(result));
}

const char *reachd_pq_result_state(const reachd_pq_result *result) {
    return PQresultErrorField(unwrap(result), PG_DIAG_SQLSTATE);
}

const char *reachd_pq_result_message(const reachd_pq_result *result) {
    const char *primary = PQresultErrorField(unwrap(result), PG_DIAG_MESSAGE_PRIMARY);
    return primary != NULL ? primary : PQresultErrorMessage(unwrap(result));
}

int32_t reachd_pq_take_notification(reachd_pq_connection *connection, struct reachd_pq_notification *notification) {
    PGnotify *next = PQnotifies(connection->link);
    if (next == NULL) return 0;
    *notification = (struct reachd_pq_notification){
        .channel = next->relname,
        .payload = next->extra,
        .process = next->be_pid,
        .storage = next,
    };
    return 1;
}

void reachd_pq_free_notification(struct reachd_pq_notification *notification) {
    PQfreemem(notification->storage);
    *notification = (struct reachd_pq_notification){0};
}

const char *reachd_pq_notice_state(const reachd_pq_connection *connection) {
    return connection->notice_state;
}

const char *reachd_pq_notice_message(const reachd_pq_connection *connection) {
    return connection->notice_message;
}
