// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CLinux.h"

#include <iconv.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

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

int reachd_contains(const void *bytes, size_t count, const void *text, size_t text_count) {
    if (text_count == 0) return 1;
    return count >= text_count && memmem(bytes, count, text, text_count) != NULL;
}

int reachd_receive_many(int descriptor, void *buffer, size_t slot, unsigned count, unsigned *lengths) {
    struct iovec pieces[64];
    struct mmsghdr messages[64];
    if (count > 64) count = 64;
    memset(messages, 0, count * sizeof *messages);
    for (unsigned index = 0; index < count; index++) {
        pieces[index].iov_base = (char *)buffer + index * slot;
        pieces[index].iov_len = slot;
        messages[index].msg_hdr.msg_iov = &pieces[index];
        messages[index].msg_hdr.msg_iovlen = 1;
    }
    int received = recvmmsg(descriptor, messages, count, MSG_WAITFORONE | MSG_TRUNC, NULL);
    for (int index = 0; index < received; index++) lengths[index] = messages[index].msg_len;
    return received;
}

int reachd_wait_semaphore(sem_t *semaphore, uint64_t nanoseconds) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    uint64_t end = (uint64_t)deadline.tv_nsec + nanoseconds;
    deadline.tv_sec += (time_t)(end / 1000000000);
    deadline.tv_nsec = (long)(end % 1000000000);
    int result;
    while ((result = sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline)) != 0 && errno == EINTR);
    return result;
}

size_t reachd_convert_to_utf8(const char *encoding, const uint8_t *bytes, size_t count, uint8_t *text) {
    iconv_t converter = iconv_open("UTF-8", encoding);
    if (converter == (iconv_t)-1) return SIZE_MAX;
    char *in = (char *)bytes;
    char *out = (char *)text;
    size_t left = count;
    size_t room = 3 * count + 8;
    while (left > 0 && iconv(converter, &in, &left, &out, &room) == (size_t)-1) {
        if (errno != EILSEQ || room < 3) break;
        memcpy(out, "\xEF\xBF\xBD", 3);
        out += 3;
        room -= 3;
        in++;
        left--;
    }
    // What a stateful encoding still holds.
    iconv(converter, NULL, NULL, &out, &room);
    iconv_close(converter);
    return (size_t)(out - (char *)text);
}
