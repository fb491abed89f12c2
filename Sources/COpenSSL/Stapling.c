// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What a server staples to its handshake.
#include "Common.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static int64_t seconds(const ASN1_GENERALIZEDTIME *time) {
    int64_t since_1970;
    return reachd_tls_seconds(time, &since_1970) ? since_1970 : INT64_MIN;
}

/// The part of the response about a certificate: found by its serial number, since a staple is about the server's own.
static void read_status(OCSP_BASICRESP *response, const X509 *certificate, struct reachd_tls_staple *staple) {
    for (int index = 0; index < OCSP_resp_count(response); index++) {
        OCSP_SINGLERESP *single = OCSP_resp_get0(response, index);
        ASN1_INTEGER *serial = NULL;
        OCSP_id_get0_info(NULL, NULL, NULL, &serial, (OCSP_CERTID *)OCSP_SINGLERESP_get0_id(single));
        if (serial == NULL || ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(certificate)) != 0) continue;
        ASN1_GENERALIZEDTIME *revoked = NULL, *this_update = NULL, *next_update = NULL;
        staple->status = OCSP_single_get0_status(single, NULL, &revoked, &this_update, &next_update);
        staple->this_update = seconds(this_update);
        staple->next_update = seconds(next_update);
        staple->revoked = seconds(revoked);
        return;
    }
}

struct reachd_tls_staple reachd_tls_read_response(const uint8_t *bytes, size_t count,
                                                  const struct stack_st_X509 *chain) {
    struct reachd_tls_staple staple = {.is_there = 1,
                                       .response = -1,
                                       .status = -1,
                                       .this_update = INT64_MIN,
                                       .next_update = INT64_MIN,
                                       .revoked = INT64_MIN};
    const unsigned char *place = bytes;
    OCSP_RESPONSE *response = count <= LONG_MAX ? d2i_OCSP_RESPONSE(NULL, &place, (long)count) : NULL;
    if (response != NULL) {
        staple.response = OCSP_response_status(response);
        OCSP_BASICRESP *basic = OCSP_response_get1_basic(response);
        if (basic != NULL && sk_X509_num(chain) > 0) read_status(basic, sk_X509_value(chain, 0), &staple);
        OCSP_BASICRESP_free(basic);
    }
    OCSP_RESPONSE_free(response);
    ERR_clear_error();
    return staple;
}

struct reachd_tls_staple reachd_tls_read_staple(const struct ssl_st *session, const struct stack_st_X509 *chain) {
    const unsigned char *bytes = NULL;
    // It only reads.
    long count = SSL_get_tlsext_status_ocsp_resp((SSL *)session, &bytes);
    if (count <= 0 || bytes == NULL) return (struct reachd_tls_staple){.is_there = 0};
    return reachd_tls_read_response(bytes, (size_t)count, chain);
}
