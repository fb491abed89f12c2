// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Server.h"

#include <sys/socket.h>

int32_t reachd_http_exchange_is_secure(const reachd_http_exchange *exchange) {
    return exchange->session != NULL;
}

static bool is_again(ssize_t result) {
    return result == GNUTLS_E_AGAIN || result == GNUTLS_E_INTERRUPTED;
}

int64_t reachd_http_exchange_send(reachd_http_exchange *exchange, const void *bytes, size_t count) {
    size_t sent = 0;
    if (exchange->held) {
        // GnuTLS has them: it wants to be asked again without them.
        ssize_t result = gnutls_record_send(exchange->session, NULL, 0);
        if (is_again(result)) return 0;
        if (result < 0 || exchange->held > count) return -1;
        sent = exchange->held;
        exchange->held = 0;
    }
    size_t record = gnutls_record_get_max_size(exchange->session);
    while (sent < count) {
        size_t piece = count - sent < record ? count - sent : record;
        ssize_t result = gnutls_record_send(exchange->session, (const char *)bytes + sent, piece);
        if (is_again(result)) {
            exchange->held = piece;
            break;
        }
        if (result < 0) return -1;
        sent += (size_t)result;
    }
    return (int64_t)sent;
}

int64_t reachd_http_exchange_discard(reachd_http_exchange *exchange) {
    char buffer[4096];
    int64_t total = 0;
    do {
        ssize_t result = gnutls_record_recv(exchange->session, buffer, sizeof buffer);
        if (is_again(result)) break;
        // A renegotiation would be one, too: nobody needs it, and TLS 1.3 has none.
        if (result <= 0) return -1;
        total += result;
        // What GnuTLS has read already makes no event any more.
    } while (gnutls_record_check_pending(exchange->session) > 0);
    return total;
}

void reachd_http_exchange_finish(reachd_http_exchange *exchange) {
    gnutls_bye(exchange->session, GNUTLS_SHUT_WR);
    shutdown(exchange->descriptor, SHUT_WR);
}
