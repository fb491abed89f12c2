// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Sessions over sockets that do not block.
#include "Common.h"

#include <errno.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

/// How much is taken from a socket in one turn, so that a peer that sends without end (tickets, key updates, empty
/// records) does not keep the thread.
static const size_t turn_budget = 16 << 10;

static BIO_METHOD *socket_method;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// MARK: The socket under a session

static int receive(BIO *bio, char *buffer, int size) {
    reachd_tls_connection *connection = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (connection->budget == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    ssize_t count;
    do {
        count = recv(connection->descriptor, buffer, (size_t)size, 0);
    } while (count == -1 && errno == EINTR);
    if (count > 0) {
        connection->received += (size_t)count;
        connection->budget -= (size_t)count < connection->budget ? (size_t)count : connection->budget;
        return (int)count;
    }
    if (count == 0) {
        connection->is_at_end = 1;
        return 0;
    }
    if (errno == EAGAIN) {
        BIO_set_retry_read(bio);
    } else {
        connection->error = errno;
    }
    return -1;
}

static int transmit(BIO *bio, const char *bytes, int size) {
    reachd_tls_connection *connection = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t count;
    do {
        count = send(connection->descriptor, bytes, (size_t)size, MSG_NOSIGNAL);
    } while (count == -1 && errno == EINTR);
    if (count >= 0) return (int)count;
    if (errno == EAGAIN) {
        BIO_set_retry_write(bio);
    } else {
        connection->error = errno;
    }
    return -1;
}

static long control(BIO *bio, int command, long number, void *pointer) {
    (void)number, (void)pointer;
    const reachd_tls_connection *connection = BIO_get_data(bio);
    switch (command) {
        case BIO_CTRL_FLUSH: return 1;
        case BIO_CTRL_EOF: return connection->is_at_end;
        default: return 0;
    }
}

static int created(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

static void prepare(void) {
    socket_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "reachd socket");
    if (socket_method == NULL) return;
    BIO_meth_set_read(socket_method, receive);
    BIO_meth_set_write(socket_method, transmit);
    BIO_meth_set_ctrl(socket_method, control);
    BIO_meth_set_create(socket_method, created);
}

// MARK: Connections

reachd_tls_connection *reachd_tls_connection_create(struct ssl_ctx_st *context, int32_t descriptor,
                                                   const char *server_name, void *argument) {
    pthread_once(&once, prepare);
    reachd_tls_connection *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->descriptor = descriptor;
    self->argument = argument;
    self->session = SSL_new(context);
    BIO *bio = self->session == NULL || socket_method == NULL ? NULL : BIO_new(socket_method);
    if (bio == NULL) {
        reachd_tls_connection_free(self);
        return NULL;
    }
    BIO_set_data(bio, self);
    SSL_set_bio(self->session, bio, bio);
    SSL_set_app_data(self->session, self);
    SSL_set_connect_state(self->session);
    if (server_name != NULL && SSL_set_tlsext_host_name(self->session, server_name) != 1) {
        reachd_tls_connection_free(self);
        self = NULL;
    }
    ERR_clear_error();
    return self;
}

void reachd_tls_connection_free(reachd_tls_connection *connection) {
    if (connection == NULL) return;
    SSL_free(connection->session);
    free(connection);
}

struct ssl_st *reachd_tls_connection_session(reachd_tls_connection *connection) {
    return connection->session;
}

static void begin_turn(reachd_tls_connection *connection) {
    connection->budget = turn_budget;
    connection->error = 0;
    ERR_clear_error();
}

/// What a call of OpenSSL's came to.
static struct reachd_tls_step outcome(reachd_tls_connection *connection, int result, size_t count) {
    struct reachd_tls_step step = {.count = count};
    switch (SSL_get_error(connection->session, result)) {
        case SSL_ERROR_NONE: step.status = reachd_tls_done; return step;
        case SSL_ERROR_WANT_READ: step.status = reachd_tls_wants_read; return step;
        case SSL_ERROR_WANT_WRITE: step.status = reachd_tls_wants_write; return step;
        case SSL_ERROR_ZERO_RETURN: step.status = reachd_tls_ended; return step;
        default: break;
    }
    unsigned long error = ERR_peek_error();
    int reason = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
    step.words = error != 0 ? ERR_reason_error_string(error) : NULL;
    if (reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256) {
        step.status = reachd_tls_alert;
        step.code = reason - SSL_AD_REASON_OFFSET;
    } else if (connection->error != 0) {
        step.status = reachd_tls_system;
        step.code = connection->error;
    } else if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING || (error == 0 && connection->is_at_end)) {
        step.status = reachd_tls_ended;
    } else if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        step.status = reachd_tls_refused;
    } else if (reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_WRONG_SSL_VERSION
               || reason == SSL_R_VERSION_TOO_LOW || reason == SSL_R_VERSION_TOO_HIGH) {
        step.status = reachd_tls_no_version;
    } else {
        step.status = reachd_tls_failed;
    }
    ERR_clear_error();
    return step;
}

struct reachd_tls_step reachd_tls_handshake(reachd_tls_connection *connection) {
    begin_turn(connection);
    return outcome(connection, SSL_do_handshake(connection->session), 0);
}

struct reachd_tls_step reachd_tls_read(reachd_tls_connection *connection, uint8_t *bytes, size_t size) {
    begin_turn(connection);
    size_t total = 0, count = 0;
    int result = 1;
    while (total < size && (result = SSL_read_ex(connection->session, bytes + total, size - total, &count)) == 1) {
        total += count;
    }
    return outcome(connection, result, total);
}

struct reachd_tls_step reachd_tls_write(reachd_tls_connection *connection, const uint8_t *bytes, size_t count) {
    begin_turn(connection);
    size_t total = 0, written = 0;
    int result = 1;
    while (total < count && (result = SSL_write_ex(connection->session, bytes + total, count - total, &written)) == 1) {
        total += written;
    }
    return outcome(connection, result, total);
}

void reachd_tls_say_goodbye(reachd_tls_connection *connection) {
    begin_turn(connection);
    if (SSL_is_init_finished(connection->session)) SSL_shutdown(connection->session);
    ERR_clear_error();
}

size_t reachd_tls_received(const reachd_tls_connection *connection) {
    return connection->received;
}

int32_t reachd_tls_was_asked_for_identity(const reachd_tls_connection *connection) {
    return connection->was_asked;
}

int32_t reachd_tls_has_ticket(const reachd_tls_connection *connection) {
    return connection->has_ticket;
}

const char *reachd_tls_alert_words(int32_t number) {
    return SSL_alert_desc_string_long(number);
}
