// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What sessions have in common: versions, identity, and whom to ask about a chain.
#include "Common.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <stdlib.h>

_Static_assert(reachd_tls_1_0 == TLS1_VERSION && reachd_tls_1_1 == TLS1_1_VERSION && reachd_tls_1_2 == TLS1_2_VERSION
                   && reachd_tls_1_3 == TLS1_3_VERSION,
               "the numbers are OpenSSL's");

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
    X509 *certificate = PEM_read_bio_X509_AUX(text, NULL, reachd_tls_no_password, NULL);
    if (certificate == NULL) return reachd_tls_identity_bad_certificate;
    int is_good = SSL_CTX_use_certificate(context, certificate) == 1;
    X509_free(certificate);
    while (is_good && (certificate = PEM_read_bio_X509(text, NULL, reachd_tls_no_password, NULL)) != NULL) {
        is_good = (int)SSL_CTX_add1_chain_cert(context, certificate);
        X509_free(certificate);
    }
    // A key may follow in the same file; it is passed over.
    is_good = reachd_tls_is_end_of_text() && is_good;
    return is_good ? reachd_tls_identity_taken : reachd_tls_identity_bad_certificate;
}

int32_t reachd_tls_context_set_identity(struct ssl_ctx_st *context, const uint8_t *certificate, size_t certificate_size,
                                        const uint8_t *key, size_t key_size) {
    BIO *certificate_text = reachd_tls_reader(certificate, certificate_size);
    BIO *key_text = reachd_tls_reader(key, key_size);
    int32_t status = reachd_tls_identity_bad_certificate;
    if (certificate_text != NULL && key_text != NULL) status = use_chain(context, certificate_text);
    if (status == reachd_tls_identity_taken) {
        EVP_PKEY *private_key = PEM_read_bio_PrivateKey(key_text, NULL, reachd_tls_no_password, NULL);
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

static void prepare(void) {
    lent_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_lent);
}

int32_t reachd_tls_context_lend(struct ssl_ctx_st *context, struct ssl_ctx_st *other, reachd_tls_check check,
                                void *argument) {
    pthread_once(&once, prepare);
    // A second lending would leave the first one's argument behind in a session that is under way.
    if (lent_index < 0 || SSL_CTX_get_ex_data(other, lent_index) != NULL) return 0;
    struct lent *lent = malloc(sizeof *lent);
    if (lent == NULL) return 0;
    *lent = (struct lent){.check = check, .argument = argument};
    if (SSL_CTX_set_ex_data(other, lent_index, lent) != 1) {
        free(lent);
        return 0;
    }
    SSL_CTX_set_cert_verify_callback(other, check_lent, lent);
    SSL_CTX_set_verify(other, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_security_level(other, SSL_CTX_get_security_level(context));
    SSL_CTX_set_options(other, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_max_cert_list(other, chain_limit);
    SSL_CTX_set_tlsext_status_type(other, TLSEXT_STATUSTYPE_ocsp);
    int is_good = SSL_CTX_set_min_proto_version(other, (int)SSL_CTX_get_min_proto_version(context)) == 1
        && SSL_CTX_set_max_proto_version(other, (int)SSL_CTX_get_max_proto_version(context)) == 1;
    X509 *certificate = SSL_CTX_get0_certificate(context);
    EVP_PKEY *key = SSL_CTX_get0_privatekey(context);
    STACK_OF(X509) *chain = NULL;
    if (certificate != NULL && key != NULL) {
        is_good = is_good && SSL_CTX_use_certificate(other, certificate) == 1
            && SSL_CTX_use_PrivateKey(other, key) == 1;
        if (SSL_CTX_get0_chain_certs(context, &chain) && chain != NULL) {
            is_good = is_good && SSL_CTX_set1_chain(other, chain) == 1;
        }
    }
    ERR_clear_error();
    return is_good;
}
