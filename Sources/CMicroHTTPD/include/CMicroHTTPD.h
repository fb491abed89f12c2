// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// libmicrohttpd for Swift. Its own header stays out of sight: it is made of variadic functions, macros and closed
// enums, and its event loop has one fault and several gaps that are dealt with here once:
//
// - Its own waiting can sleep with 128 requests in hand, so the caller's thread waits and the library never does.
// - Before 1.0 it lets request smuggling shapes, NUL bytes, folded fields and bare line feeds pass; they are refused here.
// - Its timeout starts anew with every byte, so the time for a whole request is kept here.
// - It has no limit for bodies.
//
// One thread at a time may use a server and its exchanges ("the loop's thread"); what other threads may call says so.
#ifndef REACHD_CMICROHTTPD_H
#define REACHD_CMICROHTTPD_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A server: one libmicrohttpd daemon, its listening sockets and its connections.
typedef struct reachd_http_server reachd_http_server;

/// A connection, and the request that it carries at the moment if any.
typedef struct reachd_http_exchange reachd_http_exchange;

/// A body with header fields that any number of requests may be answered with at the same time.
typedef struct reachd_http_response reachd_http_response;

/// A certificate chain with its private key, for TLS; counted references.
typedef struct reachd_http_certificate reachd_http_certificate;

/// A complete request. Everything is borrowed until the callback returns; nothing ends in NUL.
typedef struct {
    const char *_Nonnull method;
    size_t method_length;
    /// As it came, percent-encoding included. Begins with `/`, or is `*` for OPTIONS.
    const char *_Nonnull path;
    size_t path_length;
    /// What stood behind the `?`; NULL without one.
    const char *_Nullable query;
    size_t query_length;
    /// Checked header fields, each as: name, NUL, value, NUL, NUL. One more NUL at the end.
    const char *_Nonnull fields;
    size_t fields_length;
    /// Whether the body came in chunks; such a request's answer has to end its connection.
    int32_t is_chunked;
    const uint8_t *_Nullable body;
    size_t body_length;
    const struct sockaddr *_Nullable peer;
} reachd_http_request;

/// Why a request is refused before any route sees it.
typedef enum {
    reachd_http_refusal_malformed = 0,
    reachd_http_refusal_ambiguous_length = 1,
    reachd_http_refusal_unknown_coding = 2,
    reachd_http_refusal_fields_too_large = 3,
    reachd_http_refusal_body_too_large = 4,
    reachd_http_refusal_too_slow = 5,
    reachd_http_refusal_chunk_line = 6,
    reachd_http_refusal_repeated_field = 7,
    reachd_http_refusal_too_many_parameters = 8,
} reachd_http_refusal;

/// Limits and callbacks; copied by reachd_http_server_create. All callbacks come on the loop's thread, none of them
/// may destroy the server.
typedef struct {
    uint32_t connection_limit;
    /// 0: none.
    uint32_t connection_limit_per_address;
    /// Seconds without a byte either way after which a connection ends; at least 1.
    uint32_t idle_timeout;
    /// Nanoseconds for a request's line and fields.
    uint64_t header_deadline;
    /// Nanoseconds for a request's body.
    uint64_t body_deadline;
    /// Bytes of a connection's memory; at most 32768, above which the library maps pages for each connection.
    size_t pool_size;
    /// Bytes of a request's line and fields, refused with the refusal callback; what does not even fit into the pool
    /// is refused by the library itself.
    size_t header_limit;
    /// Bytes of a request's body.
    size_t body_limit;
    /// Passed to every callback; kept alive by the caller until reachd_http_server_destroy returns.
    void *_Nonnull context;
    /// A complete request: answer with reachd_http_exchange_reply, answer later after reachd_http_exchange_defer, or take
    /// with reachd_http_exchange_hijack. A request that is left alone ends with its connection.
    void (*_Nonnull on_request)(
        void *_Nonnull context, reachd_http_exchange *_Nonnull exchange, const reachd_http_request *_Nonnull request);
    /// A request to refuse: answer with reachd_http_exchange_reply. With `too_slow`, `chunk_line` and
    /// `too_many_parameters` it is incomplete and the library cannot answer it: write to the descriptor, or with reachd_http_exchange_send; the
    /// connection is shut down afterwards.
    void (*_Nonnull on_refusal)(
        void *_Nonnull context, reachd_http_exchange *_Nonnull exchange, reachd_http_refusal refusal);
    /// A line for the log, rate limited.
    void (*_Nonnull on_log)(void *_Nonnull context, const char *_Nonnull line);
} reachd_http_configuration;

/// What happened so far.
typedef struct {
    uint64_t accepted_connections;
    uint64_t open_connections;
    /// Requests whose header was complete.
    uint64_t requests;
    /// Requests whose header is complete and whose answer is not; streams are among them.
    uint64_t requests_in_flight;
    /// Connections ended because a request took too long to come.
    uint64_t slow_connections;
    /// Requests that the library answered with an error of its own.
    uint64_t library_refusals;
    /// Times that no connection could be accepted for lack of descriptors or memory.
    uint64_t failed_accepts;
} reachd_http_counters;

/// The version of libmicrohttpd that is loaded, as `1.0.1`; static. Any thread.
const char *_Nonnull reachd_http_library_version(void);

/// Starts a daemon without listening sockets.
///
/// - Parameters:
///   - configuration: Copied.
///   - wake: An eventfd that ends a wait; stays the caller's, who closes it after reachd_http_server_destroy.
/// - Returns: NULL when the library could not start, with errno.
reachd_http_server *_Nullable reachd_http_server_create(
    const reachd_http_configuration *_Nonnull configuration, int32_t wake);

/// Takes over a bound, listening, non-blocking socket; at most 16. Before the first turn.
///
/// - Parameter certificate: What its clients are shown, TLS 1.2 and 1.3 then; NULL for plain HTTP. Keeps a reference of
///   its own.
/// - Returns: The socket's index, or -1 with errno when there are too many or TLS cannot be had, and then the socket stays
///   the caller's.
int32_t reachd_http_server_listen(
    reachd_http_server *_Nonnull server, int32_t listener, reachd_http_certificate *_Nullable certificate);

/// Shows another certificate to those who connect to a TLS socket from now on; handshakes that have begun end with the one
/// that they began with. On the loop's thread. Keeps a reference of its own.
void reachd_http_server_certify(
    reachd_http_server *_Nonnull server, int32_t index, reachd_http_certificate *_Nonnull certificate);

/// Closes the listening sockets.
void reachd_http_server_quiesce(reachd_http_server *_Nonnull server);

/// Waits until there is something to do, at most `wait` nanoseconds (UINT64_MAX: for ever), and does it.
void reachd_http_server_turn(reachd_http_server *_Nonnull server, uint64_t wait);

/// The counters.
reachd_http_counters reachd_http_server_counters(const reachd_http_server *_Nonnull server);

/// Logs a line under the same rate limit as the library's own.
void reachd_http_server_log(reachd_http_server *_Nonnull server, const char *_Nonnull line);

/// Ends all connections and frees the server. Every hijacked exchange must have been released and every deferred one
/// resumed before, with a turn after it: the library aborts the process otherwise.
void reachd_http_server_destroy(reachd_http_server *_Nonnull server);

/// Answers a request; inside on_request or on_refusal, once.
/// - Returns: 0, or -1 when the library refused; the connection then ends.
int32_t reachd_http_exchange_reply(
    reachd_http_exchange *_Nonnull exchange, uint32_t status, reachd_http_response *_Nonnull response);

/// Suspends a request until reachd_http_exchange_resume; inside on_request, once. The exchange stays valid until then. Its
/// client is neither read nor watched meanwhile.
void reachd_http_exchange_defer(reachd_http_exchange *_Nonnull exchange);

/// Answers a deferred request in the next turn, on its connection, which serves the client's next request afterwards. On
/// the loop's thread, outside callbacks, exactly once for each deferred request, and before reachd_http_server_destroy.
///
/// - Parameter response: Takes over the caller's reference; NULL closes the connection without an answer.
void reachd_http_exchange_resume(
    reachd_http_exchange *_Nonnull exchange, uint32_t status, reachd_http_response *_Nullable response);

/// Takes the connection away from the library, inside on_request: nothing but the caller reads or writes its
/// descriptor until reachd_http_exchange_release.
/// - Returns: The descriptor, which stays the library's.
int32_t reachd_http_exchange_hijack(reachd_http_exchange *_Nonnull exchange);

/// Gives a hijacked connection back, to be closed in the next turn. On the loop's thread, outside callbacks.
void reachd_http_exchange_release(reachd_http_exchange *_Nonnull exchange);

/// Whether the request's body came in chunks. The library of 0.9 ends their lines at a bare line feed, so that another HTTP
/// parser on the way may see a request where this one saw a body, or the other way round: whatever answers such a request must
/// end its connection.
int32_t reachd_http_exchange_is_chunked(const reachd_http_exchange *_Nonnull exchange);

/// The connection's descriptor.
int32_t reachd_http_exchange_descriptor(const reachd_http_exchange *_Nonnull exchange);

/// Whether the connection is TLS, so that its descriptor must be neither read nor written.
int32_t reachd_http_exchange_is_secure(const reachd_http_exchange *_Nonnull exchange);

/// Writes what a TLS connection takes at once: on the loop's thread, or for a hijacked connection on the one thread that
/// has it. What was offered and not taken must be offered again: its begin may be encrypted already.
/// - Returns: How many bytes were taken, or -1 when the connection is broken.
int64_t reachd_http_exchange_send(
    reachd_http_exchange *_Nonnull exchange, const void *_Nullable bytes, size_t count);

/// Reads and forgets what a hijacked TLS connection's client sends.
/// - Returns: How many bytes it was, or -1 when the client hung up or the connection is broken.
int64_t reachd_http_exchange_discard(reachd_http_exchange *_Nonnull exchange);

/// Tells a hijacked TLS connection's client that nothing will come any more.
void reachd_http_exchange_finish(reachd_http_exchange *_Nonnull exchange);

/// Reads a certificate chain, the leaf first or in any order, and the leaf's private key, both PEM. Any thread.
///
/// - Parameters:
///   - fault: What is wrong, when NULL is returned: words that hold nothing of either file.
///   - room: Bytes of `fault`.
/// - Returns: One reference, or NULL when they cannot be used, or not with one another.
reachd_http_certificate *_Nullable reachd_http_certificate_create(
    const void *_Nonnull chain, size_t chain_length, const void *_Nonnull key, size_t key_length,
    char *_Nonnull fault, size_t room);

/// When the leaf ends, in seconds since 1970; -1 when it does not say.
int64_t reachd_http_certificate_expiry(const reachd_http_certificate *_Nonnull certificate);

/// Drops the caller's reference. Any thread.
void reachd_http_certificate_release(reachd_http_certificate *_Nonnull certificate);

/// Makes a response from bytes that stay valid until `release` is called with `context`, on any thread, exactly
/// once, also when NULL is returned for lack of memory. Any thread.
reachd_http_response *_Nullable reachd_http_response_create(
    const void *_Nullable bytes, size_t count, void (*_Nonnull release)(void *_Nullable context),
    void *_Nullable context);

/// Makes a response from a copy of bytes; NULL for lack of memory. Any thread.
reachd_http_response *_Nullable reachd_http_response_copy(const void *_Nullable bytes, size_t count);

/// Adds a header field; before the response is used for the first time.
/// - Returns: 0, or -1 when the library does not take it (line breaks, no memory).
int32_t reachd_http_response_add(
    reachd_http_response *_Nonnull response, const char *_Nonnull name, const char *_Nonnull value);

/// Drops the caller's reference; requests that are being answered keep theirs. Any thread.
void reachd_http_response_release(reachd_http_response *_Nonnull response);

/// The standard words for a status code; static. Any thread.
const char *_Nonnull reachd_http_reason(uint32_t status);

#ifdef __cplusplus
}
#endif

#endif
