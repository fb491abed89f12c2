// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Server.h"

#include <microhttpd.h>

reachd_http_response *reachd_http_response_create(
    const void *bytes, size_t count, void (*release)(void *context), void *context) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback_cls(count, (void *)(uintptr_t)bytes, release, context);
    if (!response) release(context);
    return (reachd_http_response *)response;
}

reachd_http_response *reachd_http_response_copy(const void *bytes, size_t count) {
    return (reachd_http_response *)MHD_create_response_from_buffer(
        count, (void *)(uintptr_t)bytes, count ? MHD_RESPMEM_MUST_COPY : MHD_RESPMEM_PERSISTENT);
}

int32_t reachd_http_response_add(reachd_http_response *response, const char *name, const char *value) {
    return MHD_add_response_header((struct MHD_Response *)response, name, value) == MHD_YES ? 0 : -1;
}

void reachd_http_response_release(reachd_http_response *response) {
    MHD_destroy_response((struct MHD_Response *)response);
}

const char *reachd_http_reason(uint32_t status) {
    return MHD_get_reason_phrase_for(status);
}
