// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What can be read of a session after its handshake, and of certificates; lists of certificates.
#include "Common.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

const char *reachd_tls_library_version(void) {
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

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

struct stack_st_X509 *reachd_tls_chain_create(void) {
    return sk_X509_new_null();
}

struct stack_st_X509 *reachd_tls_chain_copy(const struct stack_st_X509 *chain) {
    // It only counts the references up; OpenSSL's list is not const there.
    return X509_chain_up_ref((STACK_OF(X509) *)chain);
}

void reachd_tls_chain_free(struct stack_st_X509 *chain) {
    sk_X509_pop_free(chain, X509_free);
}

static int32_t add(STACK_OF(X509) *chain, X509 *certificate) {
    if (sk_X509_push(chain, certificate) > 0) return 1;
    X509_free(certificate);
    return 0;
}

int32_t reachd_tls_chain_add_der(struct stack_st_X509 *chain, const uint8_t *bytes, size_t count) {
    const unsigned char *place = bytes;
    X509 *certificate = count <= LONG_MAX ? d2i_X509(NULL, &place, (long)count) : NULL;
    ERR_clear_error();
    if (certificate == NULL) return 0;
    if (place != bytes + count) {
        X509_free(certificate);
        return 0;
    }
    return add(chain, certificate);
}

int32_t reachd_tls_chain_add_pem(struct stack_st_X509 *chain, const uint8_t *bytes, size_t count) {
    BIO *text = reachd_tls_reader(bytes, count);
    if (text == NULL) return -1;
    int32_t total = 0, is_good = 1;
    X509 *certificate;
    while (is_good && (certificate = PEM_read_bio_X509(text, NULL, reachd_tls_no_password, NULL)) != NULL) {
        is_good = add(chain, certificate);
        total += is_good;
    }
    is_good = reachd_tls_is_end_of_text() && is_good;
    BIO_free(text);
    return is_good ? total : -1;
}

size_t reachd_tls_der(const struct x509_st *certificate, uint8_t *bytes, size_t size) {
    int count = i2d_X509(certificate, NULL);
    if (count <= 0) return 0;
    unsigned char *place = bytes;
    if (bytes != NULL && (size_t)count <= size) i2d_X509(certificate, &place);
    return (size_t)count;
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

int32_t reachd_tls_validity(const struct x509_st *certificate, int64_t *not_before, int64_t *not_after) {
    return reachd_tls_seconds(X509_get0_notBefore(certificate), not_before)
        && reachd_tls_seconds(X509_get0_notAfter(certificate), not_after);
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

_Static_assert(reachd_tls_usage_digital_signature == KU_DIGITAL_SIGNATURE
                   && reachd_tls_usage_key_encipherment == KU_KEY_ENCIPHERMENT
                   && reachd_tls_usage_key_agreement == KU_KEY_AGREEMENT && reachd_tls_purpose_server == XKU_SSL_SERVER
                   && reachd_tls_purpose_gated == XKU_SGC && reachd_tls_purpose_any == XKU_ANYEKU,
               "the bits are OpenSSL's");

static const char *key_name(const EVP_PKEY *key) {
    int type = EVP_PKEY_get_base_id(key);
    return type == EVP_PKEY_EC ? "EC" : type == NID_undef ? NULL : OBJ_nid2sn(type);
}

struct reachd_tls_facts reachd_tls_read_facts(const struct x509_st *certificate) {
    // What these ask is worked out once and kept in the certificate, under its lock: it is not const there.
    X509 *readable = (X509 *)certificate;
    struct reachd_tls_facts facts = {.signature = "unknown", .signature_strength = -1};
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    if (key != NULL) {
        facts.key = key_name(key);
        facts.key_bits = EVP_PKEY_get_bits(key);
        if (facts.key != NULL && strcmp(facts.key, "rsaEncryption") == 0) facts.key = "RSA";
    }
    int signature = X509_get_signature_nid(certificate), strength = -1;
    if (signature != NID_undef) facts.signature = OBJ_nid2sn(signature);
    if (X509_get_signature_info(readable, NULL, NULL, &strength, NULL) == 1) facts.signature_strength = strength;
    facts.usage = X509_get_key_usage(readable);
    facts.purposes = X509_get_extended_key_usage(readable);
    facts.authority = X509_check_ca(readable);
    facts.is_self_issued = (X509_get_extension_flags(readable) & EXFLAG_SI) != 0;
    ERR_clear_error();
    return facts;
}

int32_t reachd_tls_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
    int32_t done = EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL);
    ERR_clear_error();
    return done;
}
