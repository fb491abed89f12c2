// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Server.h"

#include <string.h>
#include <strings.h>

// RFC 9110, 5.6.2: what names of methods and fields are made of.
static bool is_token(const char *text, size_t length) {
    static const bool allowed[256] = {
        ['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1, ['&'] = 1, ['\''] = 1, ['*'] = 1, ['+'] = 1,
        ['-'] = 1, ['.'] = 1, ['^'] = 1, ['_'] = 1, ['`'] = 1, ['|'] = 1, ['~'] = 1,
        ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1,
    };
    for (size_t index = 0; index < length; index++) {
        if (!allowed[(unsigned char)text[index]]) return false;
    }
    return length > 0;
}

static bool is_name(const char *name, size_t length, const char *wanted, size_t wanted_length) {
    return length == wanted_length && strncasecmp(name, wanted, length) == 0;
}
#define IS_NAME(literal) is_name(name, name_length, literal, sizeof literal - 1)

typedef struct {
    const char *text;
    size_t length;
    unsigned count;
} field_value;

static void note(field_value *field, const char *text, size_t length) {
    field->text = text;
    field->length = length;
    field->count++;
}

// The target: a path, a whole URL whose authority is the Host field's (RFC 9112, 3.2.2), or `*` for OPTIONS.
static bool check_target(
    reachd_http_exchange *exchange, const char *target, const char *method, const field_value *host) {
    for (const char *at = target; *at; at++) {
        if ((unsigned char)*at <= ' ' || *at == 0x7f) return false;
    }
    for (size_t index = 0; exchange->query && index < exchange->query_length; index++) {
        if ((unsigned char)exchange->query[index] <= ' ' || exchange->query[index] == 0x7f) return false;
    }
    exchange->path = target;
    if (target[0] == '/') {
        exchange->path_length = strlen(target);
        return true;
    }
    if (strcmp(target, "*") == 0) {
        exchange->path_length = 1;
        return strcmp(method, "OPTIONS") == 0;
    }
    const char *authority;
    if (strncasecmp(target, "http://", 7) == 0) {
        authority = target + 7;
    } else if (strncasecmp(target, "https://", 8) == 0) {
        authority = target + 8;
    } else {
        return false;
    }
    size_t length = strcspn(authority, "/");
    if (!length || length != host->length || strncasecmp(authority, host->text, length) != 0) return false;
    exchange->path = authority[length] ? authority + length : "/";
    exchange->path_length = strlen(exchange->path);
    return true;
}

// Walks the fields as they lie in the connection's memory, where the library has put NULs in place of each colon and
// line end. Whatever does not look exactly like that (a NUL that was sent, a folded line, a bare line feed, a blank
// before the colon) is refused, because the next HTTP parser on the way may see something else in it.
//
// - Returns: -1 when all is well.
int reachd_http_check(reachd_http_exchange *exchange, const char *target, const char *method, const char *version) {
    const reachd_http_configuration *configuration = &exchange->server->configuration;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!info || !exchange->target_end) return reachd_http_refusal_malformed;
    if (info->header_size > configuration->header_limit) return reachd_http_refusal_fields_too_large;
    const char *end = method + info->header_size;

    // One blank on either side of the target, and no NUL anywhere.
    if (method + strlen(method) + 1 != target) return reachd_http_refusal_malformed;
    if (exchange->target_end + 1 != version) return reachd_http_refusal_malformed;
    if (!is_token(method, strlen(method))) return reachd_http_refusal_malformed;
    const char *at = version + strlen(version);
    if (end - at < 4 || at[1]) return reachd_http_refusal_malformed;
    at += 2;
    exchange->fields = at;
    exchange->fields_length = (size_t)(end - at);

    field_value length = {0}, coding = {0}, host = {0};
    size_t count = 0;
    while (at < end && *at) {
        const char *name = at;
        size_t name_length = strnlen(at, (size_t)(end - at));
        if (!is_token(name, name_length)) return reachd_http_refusal_malformed;
        at += name_length;
        if (end - at < 4) return reachd_http_refusal_malformed;
        at += 1;
        while (*at == ' ' || *at == '\t') at++;
        const char *value = at;
        while (at < end && *at) {
            if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f) return reachd_http_refusal_malformed;
            at++;
        }
        size_t value_length = (size_t)(at - value);
        if (end - at < 4 || at[1]) return reachd_http_refusal_malformed;
        at += 2;
        count++;
        while (value_length && (value[value_length - 1] == ' ' || value[value_length - 1] == '\t')) value_length--;
        switch (name_length) {
        case 4:
            if (IS_NAME("Host")) note(&host, value, value_length);
            break;
        case 14:
            if (IS_NAME("Content-Length")) note(&length, value, value_length);
            break;
        case 17:
            if (IS_NAME("Transfer-Encoding")) note(&coding, value, value_length);
            break;
        default:
            break;
        }
    }
    if (end - at != 2 || at[0] || at[1]) return reachd_http_refusal_malformed;
    if ((int)count != MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, NULL, NULL)) {
        return reachd_http_refusal_malformed;
    }
    if (!host.count && strcmp(version, "HTTP/1.0") != 0) return reachd_http_refusal_malformed;
    if (host.count > 1 || !check_target(exchange, target, method, &host)) return reachd_http_refusal_malformed;

    if (coding.count) {
        // RFC 9112, 6.1 and 6.3: whoever sends both or several wants to be misunderstood.
        if (length.count || coding.count > 1 || strcmp(version, "HTTP/1.0") == 0) {
            return reachd_http_refusal_ambiguous_length;
        }
        if (!is_name(coding.text, coding.length, "chunked", 7)) return reachd_http_refusal_unknown_coding;
        exchange->chunked = true;
        exchange->seen_unread = -1;
        reachd_http_deadline_set(exchange, &exchange->server->body);
    } else if (length.count) {
        if (length.count > 1 || !length.length) return reachd_http_refusal_ambiguous_length;
        uint64_t bytes = 0;
        for (size_t index = 0; index < length.length; index++) {
            if (length.text[index] < '0' || length.text[index] > '9') return reachd_http_refusal_ambiguous_length;
            if (bytes <= configuration->body_limit) bytes = bytes * 10 + (uint64_t)(length.text[index] - '0');
        }
        if (bytes > configuration->body_limit) return reachd_http_refusal_body_too_large;
        if (bytes) reachd_http_deadline_set(exchange, &exchange->server->body);
    }
    return -1;
}
