// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The part of c-ares that the resolver uses, without c-ares's header: that one brings glibc's types along, and Swift
// would then take some of them (`timespec`) for members of this module and hide them from files that import Glibc.
// No policy is here: which names, how often, in what order, what an answer means is decided in Swift.
#ifndef REACHD_CARES_H
#define REACHD_CARES_H

#include <stddef.h>
#include <stdint.h>

/// A c-ares channel and its sockets. One thread at a time.
typedef struct reachd_ares_channel reachd_ares_channel;

/// c-ares's result codes (`ARES_…`) that mean something to us; others are passed on as they are.
enum reachd_ares_status {
    reachd_ares_success = 0,
    reachd_ares_no_data = 1,
    reachd_ares_bad_format = 2,
    reachd_ares_server_failure = 3,
    reachd_ares_not_found = 4,
    reachd_ares_not_implemented = 5,
    reachd_ares_refused = 6,
    reachd_ares_bad_name = 8,
    reachd_ares_bad_answer = 10,
    reachd_ares_connection_refused = 11,
    reachd_ares_timed_out = 12,
    reachd_ares_no_memory = 15,
    reachd_ares_destroyed = 16,
    reachd_ares_cancelled = 24,
};

/// How a channel works and whom it tells. All calls come on the thread that drives the channel, from inside the
/// functions below.
struct reachd_ares_configuration {
    /// The servers' addresses in the order in which they are asked, with commas between them, each perhaps with `%INTERFACE`; copied.
    const char *_Nonnull servers;
    /// Whether questions begin at the servers in turn.
    int32_t rotates;
    /// How long the first try waits, in milliseconds.
    int32_t timeout;
    /// How often each server is asked.
    int32_t tries;
    /// The servers' port, UDP and TCP.
    uint16_t port;
    /// First argument of the functions.
    void *_Nonnull context;
    /// A socket is to be watched for this, or no longer when both are false: it is closed next.
    void (*_Nonnull watch)(void *_Nonnull context, int32_t socket, int32_t readable, int32_t writable);
    /// A piece of an answer was read and c-ares sees it next. `bytes` is valid during the call; `server` is the server's place, -1 for
    /// a piece of a stream.
    void (*_Nonnull read)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count, int32_t server);
    /// A socket could not be had or connected, with the `errno`: c-ares only says that the connection was refused, if that was the
    /// last server.
    void (*_Nonnull failed)(void *_Nonnull context, int32_t code);
};

/// The end of a question: called once for each, with the answer's bytes, valid during the call, if there is one.
typedef void (*reachd_ares_end)(void *_Nullable argument, int32_t status, const uint8_t *_Nullable answer, size_t count);

/// An address in an answer.
struct reachd_ares_address {
    /// Network order; the first 4 for IPv4.
    uint8_t bytes[16];
    /// Seconds; the least of the record's and of the aliases' that lead to it.
    int32_t time_to_live;
};

/// The version of c-ares that is loaded, as `1.34.5`; static. Any thread.
const char *_Nonnull reachd_ares_version(void);

/// c-ares's words for a code; they live for ever. Any thread.
const char *_Nonnull reachd_ares_words(int32_t status);

/// Makes a channel; NULL with the reason in `status`. The caller destroys it.
reachd_ares_channel *_Nullable reachd_ares_create(const struct reachd_ares_configuration *_Nonnull configuration,
                                                 int32_t *_Nonnull status);

/// Ends every question (`reachd_ares_destroyed`), unwatches and closes the sockets, frees the channel. Not from inside
/// a callback.
void reachd_ares_destroy(reachd_ares_channel *_Nullable channel);

/// Ends every question (`reachd_ares_cancelled`).
void reachd_ares_cancel(reachd_ares_channel *_Nonnull channel);

/// Asks the servers for records of class IN. On success `end` is called once, perhaps before this returns; otherwise
/// the name cannot be asked for and it is not called.
int32_t reachd_ares_ask(reachd_ares_channel *_Nonnull channel, const char *_Nonnull name, int32_t type, uint16_t id,
                        reachd_ares_end _Nonnull end, void *_Nullable argument);

/// Does what is to be done about a socket that can be read and one that can be written (-1: none), and about time-outs.
void reachd_ares_process(reachd_ares_channel *_Nonnull channel, int32_t readable, int32_t writable);

/// Milliseconds until the next time-out, rounded down; -1 when no question is open.
int64_t reachd_ares_timeout(reachd_ares_channel *_Nonnull channel);

/// Finds the addresses of one family in an answer, whatever its bytes; `count` says how many there is room for and
/// then how many there are. Any thread.
int32_t reachd_ares_parse(const uint8_t *_Nonnull answer, size_t size, int32_t is_ipv6,
                          struct reachd_ares_address *_Nonnull addresses, size_t *_Nonnull count);

#endif
