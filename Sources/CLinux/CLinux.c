// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CLinux.h"

#include <pthread.h>

// GNU's strerror_r returns the text; Swift would see POSIX's function of the same name.
const char *reachd_strerror(int code, char *buffer, size_t size) {
    return strerror_r(code, buffer, size);
}

void reachd_name_thread(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    pthread_setname_np(pthread_self(), cut);
}
