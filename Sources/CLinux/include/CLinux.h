// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Linux's own interfaces that Swift's Glibc module leaves out (epoll, eventfd, inotify, rtnetlink, sock_diag, adjtimex), and the few
// things in them that Swift cannot import: macros, casts and what hides behind _GNU_SOURCE.
#ifndef REACHD_CLINUX_H
#define REACHD_CLINUX_H

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timex.h>

/// The system's words for an errno; the text lives for ever or in `buffer`. Any thread.
const char *_Nonnull reachd_strerror(int code, char *_Nonnull buffer, size_t size);

/// Whether a text occurs in bytes, in linear time (memmem(3), which is GNU's). Any thread.
int reachd_contains(const void *_Nullable bytes, size_t count, const void *_Nullable text, size_t text_count);

/// Converts text of an encoding that iconv(3) knows to UTF-8; bytes that are none become U+FFFD, an incomplete character at the end is
/// left out. `text` has room for three bytes per byte and 8 more. Returns the length, SIZE_MAX when the encoding is unknown.
/// Any thread.
size_t reachd_convert_to_utf8(const char *_Nonnull encoding, const uint8_t *_Nullable bytes, size_t count, uint8_t *_Nonnull text);

/// Names the calling thread for `ps -L` and debuggers; longer names than 15 bytes are cut.
void reachd_name_thread(const char *_Nonnull name);

/// Receives up to `count` datagrams (at most 64) with one call, waiting for the first: each into its own `slot` bytes of
/// `buffer`. `lengths` gets their true lengths, which exceed `slot` for one that was cut off.
///
/// Returns their number, or -1 with `errno`. Blocks.
int reachd_receive_many(
    int descriptor, void *_Nonnull buffer, size_t slot, unsigned count, unsigned *_Nonnull lengths);

/// Asks for short and therefore early turns on the processor for the calling thread: a burst's first event is then
/// handed on within a fraction of a millisecond, where a busy neighbour may otherwise keep the processor for three
/// (sched(7), "sched_setattr(2)": `sched_runtime` of an ordinary thread is its slice).
void reachd_prefer_prompt_scheduling(void);

/// Waits for a semaphore, for so many nanoseconds at most: sem_clockwait(3), which Swift does not see. Any thread.
///
/// Returns 0 when one was taken, -1 when the time was over.
int reachd_wait_semaphore(sem_t *_Nonnull semaphore, uint64_t nanoseconds);

#endif
