// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The exchange of an `https` probe with OpenSSL and sockets alone, over and over: connect, handshake with a verified certificate, one
// request, the response until the server closes. Measures what a probe costs beyond that.
//
//     exchange PORT CERTIFICATE COUNT      CERTIFICATE is the server's, self-signed; it listens on 127.0.0.1
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: exchange\r\nAccept: */*\r\nConnection: close\r\n\r\n";

static int exchange(SSL_CTX *context, const struct sockaddr_in *server) {
    int done = 0, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return 0;
    SSL *ssl = SSL_new(context);
    if (ssl && connect(descriptor, (const struct sockaddr *)server, sizeof *server) == 0
        && X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), "127.0.0.1") && SSL_set_fd(ssl, descriptor) && SSL_connect(ssl) == 1
        && SSL_write(ssl, request, sizeof request - 1) == sizeof request - 1) {
        char bytes[16384];
        int count = SSL_read(ssl, bytes, sizeof bytes);
        done = count > 12 && memcmp(bytes + 9, "200", 3) == 0;
        while (count > 0) count = SSL_read(ssl, bytes, sizeof bytes);
        SSL_shutdown(ssl);
    }
    SSL_free(ssl);
    close(descriptor);
    return done;
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: exchange PORT CERTIFICATE COUNT\n");
        return 2;
    }
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context || !SSL_CTX_load_verify_file(context, words[2])) return 1;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    for (int left = atoi(words[3]); left > 0; left--) {
        if (!exchange(context, &server)) {
            fprintf(stderr, "exchange: no response with the status 200\n");
            return 1;
        }
    }
    SSL_CTX_free(context);
    return 0;
}
