// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CIDN.h"

#include <idn2.h>
#include <string.h>

int32_t reachd_idn_to_ascii(const char *name, int32_t is_transitional, char *ascii, size_t size) {
    char *found = NULL;
    int flags = IDN2_NFC_INPUT | (is_transitional ? IDN2_TRANSITIONAL : IDN2_NONTRANSITIONAL);
    if (idn2_to_ascii_8z(name, &found, flags) != IDN2_OK || found == NULL) return 0;
    size_t length = strlen(found);
    if (length < size) memcpy(ascii, found, length + 1);
    idn2_free(found);
    return length < size;
}
