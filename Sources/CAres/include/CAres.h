// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// c-ares as Swift sees it: its own header, and the sockets it works with.
#ifndef REACHD_CARES_H
#define REACHD_CARES_H

#include <ares.h>
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

/// Told of every piece of an answer that a channel reads, before c-ares looks at it. `bytes` is valid during the call.
/// Called on the thread that drives the channel.
typedef void (*reachd_ares_reader)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);

/// Who is told what a channel reads.
struct reachd_ares_sockets {
    reachd_ares_reader _Nonnull read;
    void *_Nonnull context;
};

/// Gives a channel sockets that are close-on-exec and non-blocking from birth, never raise SIGPIPE, survive an empty
/// datagram and show what they read. The caller keeps `sockets` in place until the channel is destroyed, and frees it.
void reachd_ares_use_sockets(struct ares_channeldata *_Nonnull channel, struct reachd_ares_sockets *_Nonnull sockets);

#endif
