// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Measures the delay of deliveries to many subscribers of one stream of server-sent events; also publishes the events.
//
//     subscribers PORT STREAM_PATH PUBLISH_PATH BODY COUNT RATE SECONDS
//
// In PUBLISH_PATH and BODY every @ becomes `T` and the time in nanoseconds as 19 digits; an empty BODY sends none. The streams
// must contain that text. Prints the seconds that connecting took, waits for a line on standard input, runs, and prints
// the deliveries, the expected deliveries, and the median, 99th percentile and maximum of their delay in milliseconds.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { carry_size = 32 };

struct subscriber {
    int descriptor;
    int is_open;
    int carried;
    char carry[carry_size];
};

static uint16_t port;
static const char *publish_path, *body_template;
static int rate, seconds, running = 1;
static uint32_t *delays;
static size_t delay_count, delay_limit;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int open_connection(int flags) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return -1;
    }
    if (flags) fcntl(descriptor, F_SETFL, flags);
    return descriptor;
}

static void fill(char *text, size_t size, const char *template, uint64_t time) {
    size_t used = 0;
    for (; *template != 0 && used + 24 < size; template++) {
        if (*template == '@') {
            used += (size_t)snprintf(text + used, size - used, "T%019llu", (unsigned long long)time);
        } else {
            text[used++] = *template;
        }
    }
    text[used] = 0;
}

static void *publish(void *unused) {
    (void)unused;
    int descriptor = open_connection(0);
    uint64_t start = now();
    for (int index = 0; index < rate * seconds; index++) {
        uint64_t due = start + (uint64_t)index * 1000000000 / (uint64_t)rate, time = now();
        if (due > time) {
            struct timespec pause = {.tv_sec = (time_t)((due - time) / 1000000000), .tv_nsec = (long)((due - time) % 1000000000)};
            nanosleep(&pause, NULL);
        }
        char path[1024], body[4096], request[8192], reply[4096];
        time = now();
        fill(path, sizeof path, publish_path, time);
        fill(body, sizeof body, body_template, time);
        int size = snprintf(request, sizeof request, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s", path,
                            strlen(body), body);
        if (send(descriptor, request, (size_t)size, MSG_NOSIGNAL) != size || recv(descriptor, reply, sizeof reply, 0) <= 0) {
            fprintf(stderr, "the publisher lost its connection\n");
            exit(1);
        }
        if (memcmp(reply + 9, "20", 2) != 0) {
            fprintf(stderr, "%.200s\n", reply);
            exit(1);
        }
    }
    sleep(2);
    running = 0;
    return NULL;
}

static void scan(struct subscriber *subscriber, const char *bytes, size_t count, uint64_t time) {
    for (size_t index = 0; index + 20 <= count; index++) {
        if (bytes[index] != 'T') continue;
        uint64_t sent = 0;
        size_t digit = 1;
        for (; digit <= 19 && bytes[index + digit] >= '0' && bytes[index + digit] <= '9'; digit++) {
            sent = sent * 10 + (uint64_t)(bytes[index + digit] - '0');
        }
        if (digit <= 19 || sent > time) continue;
        if (delay_count < delay_limit) delays[delay_count++] = (uint32_t)((time - sent) / 1000);
        index += 19;
    }
    size_t kept = count < 19 ? count : 19;
    memcpy(subscriber->carry, bytes + count - kept, kept);
    subscriber->carried = (int)kept;
}

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

int main(int argument_count, char **words) {
    if (argument_count != 8) return 2;
    port = (uint16_t)atoi(words[1]);
    publish_path = words[3];
    body_template = words[4];
    int count = atoi(words[5]);
    rate = atoi(words[6]);
    seconds = atoi(words[7]);
    struct rlimit limit = {.rlim_cur = (rlim_t)count + 64, .rlim_max = (rlim_t)count + 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    delay_limit = (size_t)count * (size_t)rate * (size_t)seconds + 1;
    delays = malloc(delay_limit * sizeof *delays);
    struct subscriber *all = calloc((size_t)count, sizeof *all);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    char request[1024];
    int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", words[2]);
    uint64_t start = now();
    for (int index = 0; index < count; index++) {
        all[index].descriptor = open_connection(O_NONBLOCK);
        if (all[index].descriptor < 0 || send(all[index].descriptor, request, (size_t)size, MSG_NOSIGNAL) != size) {
            fprintf(stderr, "subscriber %d: %s\n", index, strerror(errno));
            return 1;
        }
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[index]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, all[index].descriptor, &event);
    }
    int open = 0, lost = 0;
    static char bytes[1 << 16];
    struct epoll_event events[512];
    int started = 0;
    pthread_t publisher;
    while (running) {
        int ready = epoll_wait(epoll, events, 512, 200);
        for (int index = 0; index < ready; index++) {
            struct subscriber *subscriber = events[index].data.ptr;
            memcpy(bytes, subscriber->carry, (size_t)subscriber->carried);
            ssize_t got = recv(subscriber->descriptor, bytes + subscriber->carried, sizeof bytes - carry_size, 0);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0) {
                epoll_ctl(epoll, EPOLL_CTL_DEL, subscriber->descriptor, NULL);
                lost++;
                continue;
            }
            if (!subscriber->is_open) {
                subscriber->is_open = 1;
                open++;
            }
            scan(subscriber, bytes, (size_t)(got + subscriber->carried), now());
        }
        if (!started && open == count) {
            started = 1;
            printf("%.2f\n", (double)(now() - start) / 1e9);
            fflush(stdout);
            char line[16];
            if (fgets(line, sizeof line, stdin) == NULL) return 1;
            pthread_create(&publisher, NULL, publish, NULL);
        }
    }
    if (delay_count == 0) {
        fprintf(stderr, "no delivery\n");
        return 1;
    }
    if (lost > 0) fprintf(stderr, "%d subscribers were dropped\n", lost);
    qsort(delays, delay_count, sizeof *delays, compare);
    printf("%zu %zu %.2f %.2f %.2f\n", delay_count, delay_limit - 1, delays[delay_count / 2] / 1e3,
           delays[delay_count * 99 / 100] / 1e3, delays[delay_count - 1] / 1e3);
}
