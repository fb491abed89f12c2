// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Server.h"

#include <stdlib.h>
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

// MARK: Fields

// What the walk over the fields has found so far.
typedef struct {
    reachd_http_exchange *exchange;
    field_value length, coding, host, authorization;
    // Where the next field's name begins, for a library that has to be checked for it.
    const char *next;
    bool is_malformed;
    bool is_out_of_memory;
} field_walk;

// Appends to the block of fields that the request is delivered with.
static bool keep(reachd_http_exchange *exchange, const char *bytes, size_t count, size_t terminators) {
    size_t wanted = exchange->fields_length + count + terminators;
    if (wanted > exchange->fields_capacity) {
        size_t capacity = exchange->fields_capacity ? exchange->fields_capacity * 2 : 512;
        while (capacity < wanted) capacity *= 2;
        char *fields = realloc(exchange->fields, capacity);
        if (!fields) return false;
        exchange->fields = fields;
        exchange->fields_capacity = capacity;
    }
    if (count) memcpy(exchange->fields + exchange->fields_length, bytes, count);
    memset(exchange->fields + exchange->fields_length + count, 0, terminators);
    exchange->fields_length = wanted;
    return true;
}

static enum MHD_Result on_field(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value,
    size_t value_length) {
    (void)kind;
    field_walk *walk = context;
    if (!value) {
        value = "";
        value_length = 0;
    }
    walk->is_malformed = true;
    if (!is_token(name, name_length)) return MHD_NO;
    for (size_t index = 0; index < value_length; index++) {
        unsigned char byte = (unsigned char)value[index];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f) return MHD_NO;
    }
    if (!reachd_http_library_is_strict()) {
        if (name != walk->next || value <= name + name_length) return MHD_NO;
        walk->next = value + value_length + 2;
    }
    walk->is_malformed = false;
    while (value_length && (*value == ' ' || *value == '\t')) value++, value_length--;
    while (value_length && (value[value_length - 1] == ' ' || value[value_length - 1] == '\t')) value_length--;
    if (IS_NAME("Host")) note(&walk->host, value, value_length);
    if (IS_NAME("Content-Length")) note(&walk->length, value, value_length);
    if (IS_NAME("Transfer-Encoding")) note(&walk->coding, value, value_length);
    if (IS_NAME("Authorization")) note(&walk->authorization, value, value_length);
    walk->is_out_of_memory = !keep(walk->exchange, name, name_length, 1) || !keep(walk->exchange, value, value_length, 2);
    return walk->is_out_of_memory ? MHD_NO : MHD_YES;
}

// Everything that is looked at was handed out by the library's documented functions. The library of the 1.0 series refuses
// by itself what another HTTP parser on the way may see otherwise (a NUL, a folded line, a bare line feed, a blank before the
// colon). That of 0.9 lets it pass and changes it on the way: there the strings must lie one behind the other as they came,
// with nothing between them but one colon with blanks, and CR LF, and be together as long as the library says that the whole
// header was. What was cut off, joined or ended otherwise leaves a gap. Were a library to copy its strings, all requests would
// be refused: none would pass unchecked.
//
// - Returns: -1 when all is well.
int reachd_http_check(reachd_http_exchange *exchange, const char *target, const char *method, const char *version) {
    const reachd_http_configuration *configuration = &exchange->server->configuration;
    const bool is_strict = reachd_http_library_is_strict();
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!info || !exchange->target_end) return reachd_http_refusal_malformed;
    size_t header_size = info->header_size;
    if (header_size > configuration->header_limit) return reachd_http_refusal_fields_too_large;

    if (!is_token(method, strlen(method))) return reachd_http_refusal_malformed;
    // One blank on either side of the target, and no NUL anywhere.
    if (!is_strict && (method + strlen(method) + 1 != target || exchange->target_end + 1 != version)) {
        return reachd_http_refusal_malformed;
    }
    field_walk walk = {.exchange = exchange, .next = version + strlen(version) + 2};
    exchange->fields_length = 0;
    MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, on_field, &walk);
    if (walk.is_out_of_memory) return reachd_http_refusal_fields_too_large;
    if (walk.is_malformed) return reachd_http_refusal_malformed;
    if (!is_strict && walk.next + 2 != method + header_size) return reachd_http_refusal_malformed;
    if (!keep(exchange, NULL, 0, 1)) return reachd_http_refusal_fields_too_large;

    const field_value *length = &walk.length, *coding = &walk.coding, *host = &walk.host;
    if (!host->count && strcmp(version, "HTTP/1.0") != 0) return reachd_http_refusal_malformed;
    if (host->count > 1 || walk.authorization.count > 1) return reachd_http_refusal_repeated_field;
    if (!check_target(exchange, target, method, host)) return reachd_http_refusal_malformed;

    if (coding->count) {
        // RFC 9112, 6.1 and 6.3: whoever sends both or several wants to be misunderstood.
        if (length->count || coding->count > 1 || strcmp(version, "HTTP/1.0") == 0) {
            return reachd_http_refusal_ambiguous_length;
        }
        if (!is_name(coding->text, coding->length, "chunked", 7)) return reachd_http_refusal_unknown_coding;
        exchange->chunked = true;
        exchange->seen_unread = -1;
        reachd_http_deadline_set(exchange, &exchange->server->body);
    } else if (length->count) {
        if (length->count > 1 || !length->length) return reachd_http_refusal_ambiguous_length;
        uint64_t bytes = 0;
        for (size_t index = 0; index < length->length; index++) {
            if (length->text[index] < '0' || length->text[index] > '9') return reachd_http_refusal_ambiguous_length;
            if (bytes <= configuration->body_limit) bytes = bytes * 10 + (uint64_t)(length->text[index] - '0');
        }
        if (bytes > configuration->body_limit) return reachd_http_refusal_body_too_large;
        if (bytes) reachd_http_deadline_set(exchange, &exchange->server->body);
    }
    return -1;
}
