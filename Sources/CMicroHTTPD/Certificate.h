// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What the server needs to know of a certificate to show it.
#ifndef REACHD_CERTIFICATE_H
#define REACHD_CERTIFICATE_H

#include "CMicroHTTPD.h"

#include <gnutls/abstract.h>
#include <stdatomic.h>

enum { max_chain = 16 };

struct reachd_http_certificate {
    atomic_uint references;
    unsigned int count;
    gnutls_pcert_st chain[max_chain];
    gnutls_privkey_t _Nullable key;
    int64_t expiry;
};

/// One more reference. Any thread that has one.
void reachd_http_certificate_retain(reachd_http_certificate *_Nonnull certificate);

#endif
