// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// A minimal server on libmicrohttpd: one thread, external epoll, one response that is created once. It sends the bytes of a file
// at /status and /targets/ID, to measure what reachd adds to the cost of the library.
//
//     bare PORT FILE
#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct MHD_Response *found, *missing;
static int seen;

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *bytes, size_t *count, void **request) {
    (void)context, (void)method, (void)version, (void)bytes;
    // The first call has only the header; a response to it would close the connection.
    if (!*request) {
        *request = &seen;
        return MHD_YES;
    }
    if (*count) {
        *count = 0;
        return MHD_YES;
    }
    if (strcmp(url, "/status") == 0 || strncmp(url, "/targets/", 9) == 0) {
        return MHD_queue_response(connection, MHD_HTTP_OK, found);
    }
    return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, missing);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: bare PORT FILE\n");
        return 2;
    }
    FILE *file = fopen(argv[2], "rb");
    if (!file) {
        perror(argv[2]);
        return 1;
    }
    size_t capacity = 64 << 20, size;
    char *body = malloc(capacity);
    if (!body) return 1;
    size = fread(body, 1, capacity, file);
    fclose(file);

    found = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_PERSISTENT);
    missing = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (!found || !missing) return 1;
    MHD_add_response_header(found, "Content-Type", "application/json");
    MHD_add_response_header(found, "Cache-Control", "no-cache");
    MHD_add_response_header(found, "ETag", "W/\"0123456789abcdef-42\"");
    MHD_add_response_header(found, "Vary", "Accept-Encoding");
    MHD_add_response_header(found, "X-Content-Type-Options", "nosniff");

    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(argv[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, 10000u, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    const union MHD_DaemonInfo *info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (!info) {
        perror("MHD_start_daemon");
        return 1;
    }
    struct pollfd polled = {.fd = info->epoll_fd, .events = POLLIN};
    while (1) {
        MHD_UNSIGNED_LONG_LONG left;
        int wait = MHD_get_timeout(daemon, &left) == MHD_YES ? (int)(left > 60000 ? 60000 : left) : -1;
        poll(&polled, 1, wait);
        MHD_run(daemon);
    }
}
