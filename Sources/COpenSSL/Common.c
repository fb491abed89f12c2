// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "Common.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <time.h>

BIO *reachd_tls_reader(const uint8_t *bytes, size_t count) {
    ERR_clear_error();
    return count <= INT_MAX ? BIO_new_mem_buf(bytes, (int)count) : NULL;
}

int reachd_tls_no_password(char *buffer, int size, int writing, void *data) {
    (void)buffer, (void)size, (void)writing, (void)data;
    return -1;
}

int reachd_tls_is_end_of_text(void) {
    unsigned long error = ERR_peek_last_error();
    int is_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    return is_end;
}

int32_t reachd_tls_seconds(const ASN1_TIME *time, int64_t *since_1970) {
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    *since_1970 = timegm(&parts);
    return 1;
}
