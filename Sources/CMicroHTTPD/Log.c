// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Server.h"

#include <stdio.h>
#include <string.h>

static void log_arguments(reachd_http_server *server, const char *format, va_list arguments) {
    // A token bucket: one line per refused client would let clients fill the disk.
    uint64_t now = server->now ? server->now : reachd_http_clock();
    uint64_t refill = (now - server->log_refilled) / second;
    if (refill) {
        server->log_refilled = now;
        server->log_tokens = refill > log_burst - server->log_tokens ? log_burst : server->log_tokens + (uint32_t)refill;
    }
    if (!server->log_tokens) {
        server->log_left_out++;
        return;
    }
    server->log_tokens--;
    char line[512];
    int length = vsnprintf(line, sizeof line - 64, format, arguments);
    if (length < 0) return;
    size_t end = strlen(line);
    while (end && (line[end - 1] == '\n' || line[end - 1] == ' ')) line[--end] = 0;
    if (server->log_left_out) {
        snprintf(line + end, sizeof line - end, " (%llu lines omitted)", (unsigned long long)server->log_left_out);
        server->log_left_out = 0;
    }
    server->configuration.on_log(server->configuration.context, line);
}

static void log_format(reachd_http_server *server, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_arguments(server, format, arguments);
    va_end(arguments);
}

void reachd_http_on_log(void *context, const char *format, va_list arguments) {
    reachd_http_server *server = context;
    if (server->expected_close) {
        // The library calls it an internal error; it is how a stream ends.
        server->expected_close = false;
        return;
    }
    // Unix sockets know none of these, and hold nothing back either.
    if (strstr(format, "option to %s state failed") || strstr(format, "Failed to push the data")) return;
    if (strstr(format, "received handshake message out of context")) {
        // Its words for every handshake that fails are about something else.
        log_format(server, "a TLS handshake failed");
    } else if (strncmp(format, "Error processing request (HTTP response code is %u", 50) == 0) {
        // It quotes the page that it answers with.
        server->counters.library_refusals++;
        log_format(server, "the HTTP library refused a request with %u", va_arg(arguments, unsigned int));
    } else {
        log_arguments(server, format, arguments);
    }
}

void reachd_http_server_log(reachd_http_server *server, const char *line) {
    log_format(server, "%s", line);
}
