// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Stores of trusted certificates, the building and verifying of paths to them, and names.
#include "Common.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(reachd_tls_problem_none == X509_V_OK && reachd_tls_problem_no_issuer == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT
                   && reachd_tls_problem_signature == X509_V_ERR_CERT_SIGNATURE_FAILURE
                   && reachd_tls_problem_not_yet_valid == X509_V_ERR_CERT_NOT_YET_VALID
                   && reachd_tls_problem_expired == X509_V_ERR_CERT_HAS_EXPIRED
                   && reachd_tls_problem_no_memory == X509_V_ERR_OUT_OF_MEM
                   && reachd_tls_problem_self_signed == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
                   && reachd_tls_problem_self_signed_in_chain == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN
                   && reachd_tls_problem_no_local_issuer == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
                   && reachd_tls_problem_leaf_signature == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE
                   && reachd_tls_problem_chain_too_long == X509_V_ERR_CERT_CHAIN_TOO_LONG
                   && reachd_tls_problem_no_authority == X509_V_ERR_INVALID_CA
                   && reachd_tls_problem_path_length == X509_V_ERR_PATH_LENGTH_EXCEEDED
                   && reachd_tls_problem_purpose == X509_V_ERR_INVALID_PURPOSE
                   && reachd_tls_problem_untrusted == X509_V_ERR_CERT_UNTRUSTED
                   && reachd_tls_problem_no_certificate_signing == X509_V_ERR_KEYUSAGE_NO_CERTSIGN
                   && reachd_tls_problem_critical_extension == X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION
                   && reachd_tls_problem_not_permitted == X509_V_ERR_PERMITTED_VIOLATION
                   && reachd_tls_problem_excluded == X509_V_ERR_EXCLUDED_VIOLATION
                   && reachd_tls_problem_subtree_bounds == X509_V_ERR_SUBTREE_MINMAX
                   && reachd_tls_problem_application == X509_V_ERR_APPLICATION_VERIFICATION
                   && reachd_tls_problem_constraint_type == X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE
                   && reachd_tls_problem_constraint_syntax == X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX
                   && reachd_tls_problem_name_syntax == X509_V_ERR_UNSUPPORTED_NAME_SYNTAX
                   && reachd_tls_problem_host_mismatch == X509_V_ERR_HOSTNAME_MISMATCH
                   && reachd_tls_problem_address_mismatch == X509_V_ERR_IP_ADDRESS_MISMATCH
                   && reachd_tls_problem_weak_key == X509_V_ERR_EE_KEY_TOO_SMALL
                   && reachd_tls_problem_weak_digest == X509_V_ERR_CA_MD_TOO_WEAK,
               "the codes are OpenSSL's");

const char *reachd_tls_problem_words(int32_t problem) {
    return X509_verify_cert_error_string(problem);
}

// MARK: Stores

struct x509_store_st *reachd_tls_store_create(void) {
    return X509_STORE_new();
}

void reachd_tls_store_free(struct x509_store_st *store) {
    X509_STORE_free(store);
}

int32_t reachd_tls_store_add(struct x509_store_st *store, const uint8_t *bytes, size_t count) {
    BIO *text = reachd_tls_reader(bytes, count);
    if (text == NULL) return -1;
    int32_t total = 0;
    X509 *certificate;
    // AUX: what `openssl x509 -trustout` writes is taken, too.
    while ((certificate = PEM_read_bio_X509_AUX(text, NULL, reachd_tls_no_password, NULL)) != NULL) {
        int added = X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
        if (!added) break;
        total++;
    }
    int is_whole = reachd_tls_is_end_of_text() && certificate == NULL;
    BIO_free(text);
    return is_whole ? total : -1;
}

int32_t reachd_tls_store_add_chain(struct x509_store_st *store, const struct stack_st_X509 *chain) {
    int32_t is_good = 1;
    for (int index = 0; index < sk_X509_num(chain); index++) {
        is_good = is_good && X509_STORE_add_cert(store, sk_X509_value(chain, index));
    }
    ERR_clear_error();
    return is_good;
}

void reachd_tls_store_add_system(struct x509_store_st *store) {
    X509_STORE_set_default_paths(store);
    ERR_clear_error();
}

// As OpenSSL reads them: not at all in a program that has more rights than its caller.
static const char *place(const char *variable, const char *standard) {
    const char *named = secure_getenv(variable);
    return named != NULL ? named : standard;
}

const char *reachd_tls_system_file(void) {
    return place(X509_get_default_cert_file_env(), X509_get_default_cert_file());
}

const char *reachd_tls_system_directories(void) {
    return place(X509_get_default_cert_dir_env(), X509_get_default_cert_dir());
}

// MARK: Paths

/// Paths are no longer than this many authorities, so that a chain made to be slow is not.
static const int depth_limit = 12;

static void narrow(struct reachd_tls_dates *dates, int64_t boundary, int64_t time) {
    if (boundary <= time && boundary > dates->stable_from) dates->stable_from = boundary;
    if (boundary > time && boundary < dates->stable_until) dates->stable_until = boundary;
}

struct reachd_tls_dates reachd_tls_chain_dates(const struct stack_st_X509 *chain, int64_t time) {
    struct reachd_tls_dates dates = {.expiry = INT64_MAX, .stable_from = INT64_MIN, .stable_until = INT64_MAX};
    for (int index = 0; index < sk_X509_num(chain); index++) {
        int64_t from = 0, until = 0;
        if (!reachd_tls_validity(sk_X509_value(chain, index), &from, &until)) continue;
        narrow(&dates, from, time);
        narrow(&dates, until, time);
        if (until < dates.expiry) dates.expiry = until;
    }
    return dates;
}

struct report {
    void *context;
    void (*each)(void *context, int32_t problem, int32_t depth);
    int problems;
};

// Goes on after a problem, so that all are found.
static int note_problem(int is_good, X509_STORE_CTX *verification) {
    struct report *report = X509_STORE_CTX_get_app_data(verification);
    if (!is_good) {
        report->problems++;
        report->each(report->context, X509_STORE_CTX_get_error(verification),
                     X509_STORE_CTX_get_error_depth(verification));
    }
    return 1;
}

/// Every name of a certificate is compared with every constraint of each authority above it. More of them than these are
/// made to be slow: authorities give a certificate some hundred names at most.
static const int name_limit = 1000, constraint_limit = 128;

static int is_reasonable(const STACK_OF(X509) *chain) {
    int is_good = 1;
    for (int index = 0; is_good && index < sk_X509_num(chain); index++) {
        const X509 *certificate = sk_X509_value(chain, index);
        GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
        NAME_CONSTRAINTS *constraints = X509_get_ext_d2i(certificate, NID_name_constraints, NULL, NULL);
        is_good = sk_GENERAL_NAME_num(names) <= name_limit
            && X509_NAME_entry_count(X509_get_subject_name(certificate)) <= name_limit;
        if (constraints != NULL) {
            is_good = is_good && sk_GENERAL_SUBTREE_num(constraints->permittedSubtrees) <= constraint_limit
                && sk_GENERAL_SUBTREE_num(constraints->excludedSubtrees) <= constraint_limit;
        }
        GENERAL_NAMES_free(names);
        NAME_CONSTRAINTS_free(constraints);
    }
    return is_good;
}

struct stack_st_X509 *reachd_tls_verify(const struct stack_st_X509 *chain, struct x509_store_st *store, int64_t time,
                                        void *context,
                                        void (*each)(void *context, int32_t problem, int32_t depth)) {
    struct report report = {.context = context, .each = each};
    STACK_OF(X509) *path = NULL;
    X509_STORE_CTX *verification = X509_STORE_CTX_new();
    if (verification != NULL && sk_X509_num(chain) > 0 && is_reasonable(chain)
        && X509_STORE_CTX_init(verification, store, sk_X509_value(chain, 0),
                               // OpenSSL's own handshake passes the list in the same way, and it is not changed.
                               (STACK_OF(X509) *)chain)) {
        X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(verification);
        X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
        X509_VERIFY_PARAM_set_trust(rules, X509_TRUST_SSL_SERVER);
        X509_VERIFY_PARAM_set_time(rules, (time_t)time);
        X509_VERIFY_PARAM_set_depth(rules, depth_limit);
        X509_STORE_CTX_set_app_data(verification, &report);
        X509_STORE_CTX_set_verify_cb(verification, note_problem);
        int result = X509_verify_cert(verification);
        int error = X509_STORE_CTX_get_error(verification);
        // Problems that were passed over leave 1; all else is trouble of OpenSSL's own, and its path is half done.
        if (result > 0 && (report.problems > 0 || error == X509_V_OK)) path = X509_STORE_CTX_get1_chain(verification);
    }
    X509_STORE_CTX_free(verification);
    ERR_clear_error();
    return path;
}

// MARK: Names

int32_t reachd_tls_is_for_host(const struct x509_st *certificate, const char *host, uint32_t rules, char *name,
                               size_t size) {
    // A star within a label is none (RFC 9525).
    unsigned flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
    if (!(rules & reachd_tls_name_rule_common_name)) flags |= X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
    if (rules & reachd_tls_name_rule_exact) flags |= X509_CHECK_FLAG_NO_WILDCARDS;
    char *found = NULL;
    int result = X509_check_host((X509 *)certificate, host, strlen(host), flags, &found);
    size_t count = found != NULL ? strlen(found) : 0;
    if (size > 0) {
        if (count >= size) count = 0;
        if (count > 0) memcpy(name, found, count);
        name[count] = 0;
    }
    OPENSSL_free(found);
    ERR_clear_error();
    return result == 1;
}

int32_t reachd_tls_is_for_address(const struct x509_st *certificate, const uint8_t *address, size_t size) {
    int result = X509_check_ip((X509 *)certificate, address, size, 0);
    ERR_clear_error();
    return result == 1;
}
