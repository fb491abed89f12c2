// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What the files of this room share and nobody else sees.
#ifndef REACHD_COPENSSL_COMMON_H
#define REACHD_COPENSSL_COMMON_H

#include "COpenSSL.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>

/// A handshake's session and its socket.
struct reachd_tls_connection {
    SSL *session;
    void *argument;
    int descriptor;
    /// How much may still be taken from the socket in this turn.
    size_t budget;
    /// How much was taken in all.
    size_t received;
    int error;
    int is_at_end;
    int was_asked;
    int has_ticket;
};

/// A reader of a text in memory; NULL when it is too long or there is no memory. Clears OpenSSL's errors.
BIO *reachd_tls_reader(const uint8_t *bytes, size_t count);

/// For OpenSSL, which would ask at the terminal.
int reachd_tls_no_password(char *buffer, int size, int writing, void *data);

/// Whether the last error is that a PEM text has no further part; clears it.
int reachd_tls_is_end_of_text(void);

/// A time in seconds since 1970; 0 when it cannot be read.
int32_t reachd_tls_seconds(const ASN1_TIME *time, int64_t *since_1970);

#endif
