// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Certificate.h"

#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void explain(char *fault, size_t room, const char *words, int code) {
    // GnuTLS names the kind of fault and quotes nothing of the file.
    if (code < 0) {
        snprintf(fault, room, "%s: %s", words, gnutls_strerror(code));
    } else {
        snprintf(fault, room, "%s", words);
    }
}

// Whether the key is the one that the certificate is for.
static bool belong_together(const gnutls_pcert_st *leaf, gnutls_privkey_t key) {
    unsigned char shown[64], held[64];
    size_t shown_length = sizeof shown, held_length = sizeof held;
    gnutls_pubkey_t half = NULL;
    bool same = gnutls_pubkey_init(&half) == 0 && gnutls_pubkey_import_privkey(half, key, 0, 0) == 0
        && gnutls_pubkey_get_key_id(half, GNUTLS_KEYID_USE_SHA256, held, &held_length) == 0
        && gnutls_pubkey_get_key_id(leaf->pubkey, GNUTLS_KEYID_USE_SHA256, shown, &shown_length) == 0
        && shown_length == held_length && memcmp(shown, held, held_length) == 0;
    if (half) gnutls_pubkey_deinit(half);
    return same;
}

static int64_t expiry_of(gnutls_pcert_st *leaf) {
    gnutls_x509_crt_t certificate = NULL;
    if (gnutls_pcert_export_x509(leaf, &certificate) != 0) return -1;
    int64_t expiry = gnutls_x509_crt_get_expiration_time(certificate);
    gnutls_x509_crt_deinit(certificate);
    return expiry;
}

static bool read_key(
    reachd_http_certificate *certificate, const void *key, size_t length, char *fault, size_t room) {
    gnutls_datum_t data = {(unsigned char *)(uintptr_t)key, (unsigned int)length};
    int code = gnutls_privkey_init(&certificate->key);
    if (code == 0) code = gnutls_privkey_import_x509_raw(certificate->key, &data, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (code == 0) return true;
    if (memmem(key, length, "ENCRYPTED", 9)) {
        explain(fault, room, "the private key is encrypted; write it without a password", 0);
    } else {
        explain(fault, room, "the key file contains no private key in PEM form", code);
    }
    return false;
}

reachd_http_certificate *reachd_http_certificate_create(
    const void *chain, size_t chain_length, const void *key, size_t key_length, char *fault, size_t room) {
    reachd_http_certificate *certificate = calloc(1, sizeof *certificate);
    if (!certificate) {
        explain(fault, room, "out of memory", 0);
        return NULL;
    }
    atomic_init(&certificate->references, 1);
    gnutls_datum_t data = {(unsigned char *)(uintptr_t)chain, (unsigned int)chain_length};
    unsigned int count = max_chain;
    int code = gnutls_pcert_list_import_x509_raw(
        certificate->chain, &count, &data, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT);
    if (code < 0 || count == 0) {
        explain(fault, room, "the certificate file does not contain a chain of 1 to 16 certificates in PEM form", code);
        reachd_http_certificate_release(certificate);
        return NULL;
    }
    certificate->count = count;
    if (!read_key(certificate, key, key_length, fault, room)) {
        reachd_http_certificate_release(certificate);
        return NULL;
    }
    if (!belong_together(certificate->chain, certificate->key)) {
        explain(fault, room, "the private key does not match the first certificate", 0);
        reachd_http_certificate_release(certificate);
        return NULL;
    }
    certificate->expiry = expiry_of(certificate->chain);
    return certificate;
}

int64_t reachd_http_certificate_expiry(const reachd_http_certificate *certificate) {
    return certificate->expiry;
}

void reachd_http_certificate_retain(reachd_http_certificate *certificate) {
    atomic_fetch_add_explicit(&certificate->references, 1, memory_order_relaxed);
}

void reachd_http_certificate_release(reachd_http_certificate *certificate) {
    if (atomic_fetch_sub_explicit(&certificate->references, 1, memory_order_acq_rel) != 1) return;
    for (unsigned int index = 0; index < certificate->count; index++) gnutls_pcert_deinit(&certificate->chain[index]);
    if (certificate->key) gnutls_privkey_deinit(certificate->key);
    free(certificate);
}
