// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "COpenSSL.h"

#include <errno.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

_Static_assert(reachd_tls_1_0 == TLS1_VERSION && reachd_tls_1_1 == TLS1_1_VERSION && reachd_tls_1_2 == TLS1_2_VERSION
                   && reachd_tls_1_3 == TLS1_3_VERSION,
               "the numbers are OpenSSL's");

// OpenSSL would ask at the terminal.
static int no_password(char *buffer, int size, int writing, void *data) {
    (void)buffer, (void)size, (void)writing, (void)data;
    return -1;
}

static BIO *reader(const uint8_t *bytes, size_t count) {
    ERR_clear_error();
    return count <= INT_MAX ? BIO_new_mem_buf(bytes, (int)count) : NULL;
}

// MARK: Contexts

struct reachd_tls_connection {
    SSL *session;
    void *argument;
    int descriptor;
    /// How much may still be taken from the socket in this turn.
    size_t budget;
    int error;
    int is_at_end;
    int was_asked;
    int has_ticket;
};

/// How much is taken from a socket in one turn, so that a peer that sends without end (tickets, empty records) does not
/// keep the thread.
static const size_t turn_budget = 64 << 10;

/// A server may send this much of a chain: more than any that is meant well.
static const long chain_limit = 64 << 10;

static int check_chain(X509_STORE_CTX *verification, reachd_tls_check check, void *argument) {
    const STACK_OF(X509) *chain = X509_STORE_CTX_get0_untrusted(verification);
    int32_t problem = chain == NULL || sk_X509_num(chain) < 1 ? X509_V_ERR_UNSPECIFIED : check(argument, chain);
    X509_STORE_CTX_set_error(verification, problem);
    return problem == X509_V_OK;
}

// The context's own sessions: their argument is the connection's.
static int check_own(X509_STORE_CTX *verification, void *data) {
    const SSL *session = X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx());
    const reachd_tls_connection *connection = SSL_get_app_data(session);
    return check_chain(verification, (reachd_tls_check)data, connection->argument);
}

// Another library's sessions: the argument hangs on the context, in a place that goes with it.
struct lent {
    reachd_tls_check check;
    void *argument;
};

static int check_lent(X509_STORE_CTX *verification, void *data) {
    const struct lent *lent = data;
    return check_chain(verification, lent->check, lent->argument);
}

static void free_lent(void *parent, void *data, CRYPTO_EX_DATA *all, int index, long number, void *pointer) {
    (void)parent, (void)all, (void)index, (void)number, (void)pointer;
    free(data);
}

static BIO_METHOD *socket_method;
static int lent_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int certificate_asked(SSL *session, void *data) {
    (void)data;
    reachd_tls_connection *connection = SSL_get_app_data(session);
    connection->was_asked = 1;
    return 1;
}

static int ticket_came(SSL *session, SSL_SESSION *ticket) {
    (void)ticket;
    reachd_tls_connection *connection = SSL_get_app_data(session);
    connection->has_ticket = 1;
    return 0;
}

struct ssl_ctx_st *reachd_tls_context_create(int32_t minimum, int32_t maximum, int32_t security_level,
                                            const uint8_t *protocols, size_t count, reachd_tls_check check) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) return NULL;
    SSL_CTX_set_security_level(context, security_level);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                  | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_max_cert_list(context, chain_limit);
    SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
    // Nothing is kept; the mode is what has the callback called.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, ticket_came);
    SSL_CTX_set_cert_cb(context, certificate_asked, NULL);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(context, check_own, (void *)check);
    if (SSL_CTX_set_min_proto_version(context, minimum) != 1 || SSL_CTX_set_max_proto_version(context, maximum) != 1
        || minimum > maximum || count > UINT_MAX
        || (protocols != NULL && SSL_CTX_set_alpn_protos(context, protocols, (unsigned)count) != 0)) {
        SSL_CTX_free(context);
        context = NULL;
    }
    ERR_clear_error();
    return context;
}

void reachd_tls_context_free(struct ssl_ctx_st *context) {
    SSL_CTX_free(context);
}

static int32_t use_chain(SSL_CTX *context, BIO *text) {
    X509 *certificate = PEM_read_bio_X509_AUX(text, NULL, no_password, NULL);
    if (certificate == NULL) return reachd_tls_identity_bad_certificate;
    int is_good = SSL_CTX_use_certificate(context, certificate) == 1;
    X509_free(certificate);
    while (is_good && (certificate = PEM_read_bio_X509(text, NULL, no_password, NULL)) != NULL) {
        is_good = (int)SSL_CTX_add1_chain_cert(context, certificate);
        X509_free(certificate);
    }
    // A key may follow in the same file.
    return is_good ? reachd_tls_identity_taken : reachd_tls_identity_bad_certificate;
}

int32_t reachd_tls_context_set_identity(struct ssl_ctx_st *context, const uint8_t *certificate, size_t certificate_size,
                                        const uint8_t *key, size_t key_size) {
    BIO *certificate_text = reader(certificate, certificate_size);
    BIO *key_text = reader(key, key_size);
    int32_t status = reachd_tls_identity_bad_certificate;
    if (certificate_text != NULL && key_text != NULL) status = use_chain(context, certificate_text);
    if (status == reachd_tls_identity_taken) {
        EVP_PKEY *private_key = PEM_read_bio_PrivateKey(key_text, NULL, no_password, NULL);
        // OpenSSL compares the two when the second is set, if they are of one type, and again here.
        if (private_key == NULL) {
            status = reachd_tls_identity_bad_key;
        } else if (SSL_CTX_use_PrivateKey(context, private_key) != 1 || SSL_CTX_check_private_key(context) != 1) {
            status = reachd_tls_identity_mismatch;
        }
        EVP_PKEY_free(private_key);
    }
    BIO_free(certificate_text);
    BIO_free(key_text);
    ERR_clear_error();
    return status;
}

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
    lent_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_lent);
    socket_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "reachd socket");
    if (socket_method == NULL) return;
    BIO_meth_set_read(socket_method, receive);
    BIO_meth_set_write(socket_method, transmit);
    BIO_meth_set_ctrl(socket_method, control);
    BIO_meth_set_create(socket_method, created);
}

void reachd_tls_context_lend(struct ssl_ctx_st *context, struct ssl_ctx_st *other, reachd_tls_check check,
                             void *argument) {
    pthread_once(&once, prepare);
    struct lent *lent = malloc(sizeof *lent);
    struct lent *former = lent_index < 0 ? NULL : SSL_CTX_get_ex_data(other, lent_index);
    if (lent == NULL || lent_index < 0 || SSL_CTX_set_ex_data(other, lent_index, lent) != 1) {
        // Without the check every chain is refused: the other context trusts nobody.
        free(lent);
        SSL_CTX_set_verify(other, SSL_VERIFY_PEER, NULL);
        return;
    }
    *lent = (struct lent){.check = check, .argument = argument};
    SSL_CTX_set_cert_verify_callback(other, check_lent, lent);
    free(former);
    SSL_CTX_set_verify(other, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_security_level(other, SSL_CTX_get_security_level(context));
    SSL_CTX_set_min_proto_version(other, (int)SSL_CTX_get_min_proto_version(context));
    SSL_CTX_set_max_proto_version(other, (int)SSL_CTX_get_max_proto_version(context));
    SSL_CTX_set_options(other, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_max_cert_list(other, chain_limit);
    SSL_CTX_set_tlsext_status_type(other, TLSEXT_STATUSTYPE_ocsp);
    X509 *certificate = SSL_CTX_get0_certificate(context);
    EVP_PKEY *key = SSL_CTX_get0_privatekey(context);
    STACK_OF(X509) *chain = NULL;
    if (certificate != NULL && key != NULL) {
        SSL_CTX_use_certificate(other, certificate);
        SSL_CTX_use_PrivateKey(other, key);
        if (SSL_CTX_get0_chain_certs(context, &chain) && chain != NULL) SSL_CTX_set1_chain(other, chain);
    }
    ERR_clear_error();
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

int32_t reachd_tls_was_asked_for_identity(const reachd_tls_connection *connection) {
    return connection->was_asked;
}

int32_t reachd_tls_has_ticket(const reachd_tls_connection *connection) {
    return connection->has_ticket;
}

const char *reachd_tls_alert_words(int32_t number) {
    return SSL_alert_desc_string_long(number);
}
