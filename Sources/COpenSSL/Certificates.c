// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What can be read of a session after its handshake, and of certificates; nothing here changes anything.
#include "COpenSSL.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

// MARK: What a session came to

const char *reachd_tls_version(const struct ssl_st *session) {
    return SSL_get_version(session);
}

const char *reachd_tls_cipher(const struct ssl_st *session) {
    const SSL_CIPHER *cipher = SSL_get_current_cipher(session);
    // A handshake that was ended half-way has its suite chosen and not yet in force.
    if (cipher == NULL) cipher = SSL_get_pending_cipher(session);
    return cipher == NULL ? NULL : SSL_CIPHER_get_name(cipher);
}

const uint8_t *reachd_tls_alpn(const struct ssl_st *session, size_t *count) {
    const unsigned char *protocol = NULL;
    unsigned size = 0;
    SSL_get0_alpn_selected(session, &protocol, &size);
    *count = size;
    return size > 0 ? protocol : NULL;
}

const struct stack_st_X509 *reachd_tls_peer_chain(const struct ssl_st *session) {
    return SSL_get_peer_cert_chain(session);
}

const struct stack_st_X509 *reachd_tls_verified_chain(const struct ssl_st *session) {
    return SSL_get0_verified_chain(session);
}

int32_t reachd_tls_verify_result(const struct ssl_st *session) {
    return (int32_t)SSL_get_verify_result(session);
}

// MARK: Certificates

size_t reachd_tls_chain_count(const struct stack_st_X509 *chain) {
    int count = sk_X509_num(chain);
    return count > 0 ? (size_t)count : 0;
}

const struct x509_st *reachd_tls_chain_certificate(const struct stack_st_X509 *chain, size_t index) {
    return index < reachd_tls_chain_count(chain) ? sk_X509_value(chain, (int)index) : NULL;
}

int32_t reachd_tls_chain_digest(const struct stack_st_X509 *chain, uint8_t *digest) {
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    int32_t done = sum != NULL && EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1;
    for (int index = 0; done && index < sk_X509_num(chain); index++) {
        unsigned char *der = NULL;
        int size = i2d_X509(sk_X509_value(chain, index), &der);
        done = size > 0 && EVP_DigestUpdate(sum, der, (size_t)size) == 1;
        OPENSSL_free(der);
    }
    done = done && EVP_DigestFinal_ex(sum, digest, NULL) == 1;
    EVP_MD_CTX_free(sum);
    return done;
}

int32_t reachd_tls_fingerprint(const struct x509_st *certificate, uint8_t *digest) {
    return X509_digest(certificate, EVP_sha256(), digest, NULL);
}

int32_t reachd_tls_public_key_digest(const struct x509_st *certificate, uint8_t *digest) {
    unsigned char *der = NULL;
    int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
    int32_t done = size > 0 && EVP_Digest(der, (size_t)size, digest, NULL, EVP_sha256(), NULL) == 1;
    OPENSSL_free(der);
    return done;
}

static size_t print_name(const X509_NAME *name, uint8_t *text, size_t size) {
    BIO *memory = BIO_new(BIO_s_mem());
    size_t total = 0;
    if (memory != NULL && X509_NAME_print_ex(memory, name, 0, XN_FLAG_RFC2253) >= 0) {
        char *bytes = NULL;
        long count = BIO_get_mem_data(memory, &bytes);
        total = count > 0 ? (size_t)count : 0;
        if (total > 0) memcpy(text, bytes, total < size ? total : size);
    }
    BIO_free(memory);
    return total;
}

size_t reachd_tls_subject(const struct x509_st *certificate, uint8_t *text, size_t size) {
    return print_name(X509_get_subject_name(certificate), text, size);
}

size_t reachd_tls_issuer(const struct x509_st *certificate, uint8_t *text, size_t size) {
    return print_name(X509_get_issuer_name(certificate), text, size);
}

const uint8_t *reachd_tls_serial(const struct x509_st *certificate, size_t *count, int32_t *is_negative) {
    const ASN1_INTEGER *serial = X509_get0_serialNumber(certificate);
    int size = serial == NULL ? 0 : ASN1_STRING_length(serial);
    *count = size > 0 ? (size_t)size : 0;
    *is_negative = serial != NULL && ASN1_STRING_type(serial) == V_ASN1_NEG_INTEGER;
    return size > 0 ? ASN1_STRING_get0_data(serial) : NULL;
}

static int32_t seconds(const ASN1_TIME *time, int64_t *since_1970) {
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    *since_1970 = timegm(&parts);
    return 1;
}

int32_t reachd_tls_validity(const struct x509_st *certificate, int64_t *not_before, int64_t *not_after) {
    return seconds(X509_get0_notBefore(certificate), not_before) && seconds(X509_get0_notAfter(certificate), not_after);
}

size_t reachd_tls_names(const struct x509_st *certificate, size_t limit, void *context,
                        void (*each)(void *context, int32_t kind, const uint8_t *bytes, size_t count)) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    size_t total = 0;
    for (int index = 0; index < sk_GENERAL_NAME_num(names); index++) {
        int type = 0;
        const ASN1_STRING *value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, index), &type);
        int32_t kind;
        switch (type) {
            case GEN_DNS: kind = reachd_tls_name_dns; break;
            case GEN_IPADD: kind = reachd_tls_name_address; break;
            case GEN_URI: kind = reachd_tls_name_uri; break;
            case GEN_EMAIL: kind = reachd_tls_name_email; break;
            default: continue;
        }
        total++;
        int size = ASN1_STRING_length(value);
        if (total <= limit && size > 0) each(context, kind, ASN1_STRING_get0_data(value), (size_t)size);
    }
    GENERAL_NAMES_free(names);
    return total;
}
