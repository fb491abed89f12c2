// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The part of libcurl that probes and notifications use, and the commands that wait for an answer, without
// libcurl's header: its functions take their arguments as `...`, which Swift cannot import. No policy is here: whom to
// connect to, what to send, when to stop and what an answer means is decided in Swift.
//
// One thread at a time for a multi and the transfers on it; nothing of them blocks or starts a thread, because libcurl is
// never given a name to look up. `reachd_curl_easy_perform` does block, and looks names up by itself.
#ifndef REACHD_CCURL_H
#define REACHD_CCURL_H

#include <stddef.h>
#include <stdint.h>

/// A multi handle: what drives transfers.
typedef struct reachd_curl_multi reachd_curl_multi;

/// An easy handle: one transfer after the other.
typedef struct reachd_curl_easy reachd_curl_easy;

/// The version of libcurl that is loaded, as `8.14.1`; static. Any thread.
const char *_Nonnull reachd_curl_library_version(void);

/// libcurl's result codes (`CURLE_…`) that mean something to us; others are passed on as they are.
enum reachd_curl_code {
    reachd_curl_ok = 0,
    reachd_curl_unsupported_protocol = 1,
    reachd_curl_url_malformed = 3,
    reachd_curl_couldnt_resolve_proxy = 5,
    reachd_curl_couldnt_resolve_host = 6,
    reachd_curl_couldnt_connect = 7,
    reachd_curl_weird_server_reply = 8,
    reachd_curl_http2 = 16,
    reachd_curl_partial_file = 18,
    reachd_curl_write_error = 23,
    reachd_curl_out_of_memory = 27,
    reachd_curl_timed_out = 28,
    reachd_curl_aborted = 42,
    reachd_curl_tls_connect_error = 35,
    reachd_curl_got_nothing = 52,
    reachd_curl_engine_not_found = 53,
    reachd_curl_engine_set_failed = 54,
    reachd_curl_send_error = 55,
    reachd_curl_receive_error = 56,
    reachd_curl_certificate_problem = 58,
    reachd_curl_cipher = 59,
    reachd_curl_peer_failed_verification = 60,
    reachd_curl_bad_content_encoding = 61,
    /// Of libcurl 8.6 and later, where older ones have no memory.
    reachd_curl_too_large = 100,
    reachd_curl_ca_file = 77,
    reachd_curl_http2_stream = 92,
    reachd_curl_proxy = 97,
};

/// What a socket is watched for.
enum reachd_curl_interest {
    /// Nothing any more: it is closed next.
    reachd_curl_interest_none = 0,
    reachd_curl_interest_read = 1,
    reachd_curl_interest_write = 2,
};

/// Whom a multi tells. All calls come on the thread that drives it, from inside the functions below, and may not call
/// these functions again.
struct reachd_curl_driver {
    /// First argument of the functions; valid until the multi is destroyed.
    void *_Nonnull context;
    /// A socket is to be watched, for a set of `reachd_curl_interest`.
    void (*_Nonnull watch)(void *_Nonnull context, int32_t socket, int32_t interest);
    /// `reachd_curl_multi_timeout` is wanted after so many milliseconds, instead of what was wanted before; -1: no more.
    void (*_Nonnull schedule)(void *_Nonnull context, int64_t milliseconds);
};

/// Whom a transfer tells; as for the multi.
struct reachd_curl_receiver {
    /// First argument of the functions; valid until the transfer is removed.
    void *_Nonnull context;
    /// A socket is needed. Writes the `sockaddr` to connect to over the one that libcurl has in mind and returns its
    /// length in `length`; returns the socket, which is not connected, and from now on libcurl's to close; or -1.
    int32_t (*_Nonnull open)(void *_Nonnull context, uint8_t *_Nonnull address, size_t capacity,
                             size_t *_Nonnull length);
    /// One line of a response's head, or of its trailers; returns 0 to go on.
    int32_t (*_Nonnull header)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);
    /// A piece of the body, decompressed; returns 0 to go on.
    int32_t (*_Nonnull body)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);
    /// A connection's TLS is to be set up, on an `SSL_CTX` that is libcurl's; returns 0 to go on.
    int32_t (*_Nonnull secure)(void *_Nonnull context, void *_Nonnull ssl_context);
};

/// A transfer's settings that are texts; libcurl copies them.
enum reachd_curl_text {
    reachd_curl_url,
    reachd_curl_method,
    reachd_curl_proxy_url,
    reachd_curl_user,
    reachd_curl_password,
    reachd_curl_proxy_user,
    reachd_curl_proxy_password,
    /// One cookie more, as `reachd_curl_easy_cookies` has it.
    reachd_curl_cookie,
    /// Cookies that are sent besides: `NAME=VALUE; NAME=VALUE`.
    reachd_curl_own_cookies,
    /// Whom to connect to, as `CURLOPT_CONNECT_TO` has it.
    reachd_curl_connect_to,
    /// One header line more.
    reachd_curl_header,
    /// The unix socket to connect to in place of the URL's host.
    reachd_curl_unix_socket,
    /// The file of the authorities that are trusted (PEM), in place of the system's.
    reachd_curl_authorities,
    /// The file of the client's certificate and its chain (PEM).
    reachd_curl_client_certificate,
    /// The file of the key of the client's certificate (PEM, not encrypted).
    reachd_curl_client_key,
};

/// Which HTTP is spoken.
enum reachd_curl_version {
    /// HTTP/2 over TLS when the server has it, HTTP/1.1 otherwise.
    reachd_curl_version_any,
    reachd_curl_version_1_1,
    /// HTTP/2 from the first byte, or over TLS as negotiated.
    reachd_curl_version_2,
};

/// What is known of a transfer, at any time.
struct reachd_curl_information {
    /// Microseconds from the start; 0 when it has not come so far.
    int64_t secured;
    int64_t requested;
    int64_t answered;
    int64_t total;
    /// The status of the last response, and of the proxy's last one to CONNECT; 0 without one.
    int32_t status;
    int32_t proxy_status;
    /// 10, 11, 20; 0 when it is not known.
    int32_t version;
};

/// The parts of a URL. Each may be NULL; `reachd_curl_url_free` frees them.
struct reachd_curl_url_parts {
    char *_Nullable scheme;
    char *_Nullable user;
    char *_Nullable password;
    char *_Nullable host;
    /// The interface of an IPv6 address (RFC 6874).
    char *_Nullable zone;
    char *_Nullable port;
    char *_Nullable path;
    char *_Nullable query;
};

/// Prepares libcurl, once for the process; returns 0 or a code. Any thread.
int32_t reachd_curl_prepare(void);

/// libcurl's words for a code; they live for ever. Any thread.
const char *_Nonnull reachd_curl_words(int32_t code);

/// Takes a URL apart, a relative one as seen from `base`; returns whether it is one. The caller frees the parts.
/// Any thread.
int32_t reachd_curl_url_parse(const char *_Nullable base, const char *_Nonnull text,
                              struct reachd_curl_url_parts *_Nonnull parts);

/// Frees the parts.
void reachd_curl_url_free(struct reachd_curl_url_parts *_Nonnull parts);

/// Makes a multi, or NULL. The caller destroys it, after the transfers on it were removed.
reachd_curl_multi *_Nullable reachd_curl_multi_create(const struct reachd_curl_driver *_Nonnull driver);

/// Closes all sockets and frees the multi.
void reachd_curl_multi_destroy(reachd_curl_multi *_Nonnull multi);

/// Goes on with what a socket is ready for, a set of `reachd_curl_interest`. Returns 0 or a `CURLMcode`.
int32_t reachd_curl_multi_ready(reachd_curl_multi *_Nonnull multi, int32_t socket, int32_t interest);

/// Goes on with what time is for. Returns 0 or a `CURLMcode`.
int32_t reachd_curl_multi_timeout(reachd_curl_multi *_Nonnull multi);

/// A transfer that has ended, with its code in `code`, or NULL when there is none; it is to be removed.
reachd_curl_easy *_Nullable reachd_curl_multi_next(reachd_curl_multi *_Nonnull multi, int32_t *_Nonnull code);

/// Starts a transfer. Returns 0 or a `CURLMcode`.
int32_t reachd_curl_multi_add(reachd_curl_multi *_Nonnull multi, reachd_curl_easy *_Nonnull easy);

/// Takes a transfer off, wherever it is; its socket is closed.
void reachd_curl_multi_remove(reachd_curl_multi *_Nonnull multi, reachd_curl_easy *_Nonnull easy);

/// Makes an easy handle, or NULL. The caller destroys it.
reachd_curl_easy *_Nullable reachd_curl_easy_create(void);

/// Frees an easy handle that is on no multi.
void reachd_curl_easy_destroy(reachd_curl_easy *_Nonnull easy);

/// Makes an easy handle ready for a new transfer: a fresh connection that nobody else uses, HTTP only, no look-ups, no
/// redirects followed, nothing from the environment.
void reachd_curl_easy_prepare(reachd_curl_easy *_Nonnull easy,
                              const struct reachd_curl_receiver *_Nonnull receiver);

/// Sets a text. Returns 0 or a code.
int32_t reachd_curl_easy_set(reachd_curl_easy *_Nonnull easy, enum reachd_curl_text which, const char *_Nonnull text);

/// Lets the transfer take cookies, and send those that are set.
void reachd_curl_easy_keep_cookies(reachd_curl_easy *_Nonnull easy);

/// Hands out the cookies that are known now.
void reachd_curl_easy_cookies(reachd_curl_easy *_Nonnull easy, void *_Nonnull context,
                              void (*_Nonnull take)(void *_Nonnull context, const char *_Nonnull cookie));

/// Sets the body; libcurl copies it. Returns 0 or a code.
int32_t reachd_curl_easy_set_body(reachd_curl_easy *_Nonnull easy, const uint8_t *_Nullable bytes, size_t count);

/// Sets that no body is sent nor wanted back, as with HEAD.
void reachd_curl_easy_set_head(reachd_curl_easy *_Nonnull easy);

/// Sets which HTTP is spoken.
void reachd_curl_easy_set_version(reachd_curl_easy *_Nonnull easy, enum reachd_curl_version version);

/// Copies what is known.
void reachd_curl_easy_inform(reachd_curl_easy *_Nonnull easy, struct reachd_curl_information *_Nonnull information);

/// libcurl's description of what went wrong, "" for none; valid until the next preparation.
const char *_Nonnull reachd_curl_easy_error(reachd_curl_easy *_Nonnull easy);

/// The connection's `SSL`, libcurl's, valid while a receiver's function runs; NULL without one.
void *_Nullable reachd_curl_easy_ssl(reachd_curl_easy *_Nonnull easy);

/// What a transfer that is waited for tells, on the calling thread.
struct reachd_curl_waiter {
    /// First argument of the functions; valid until the transfer has ended.
    void *_Nonnull context;
    /// One line of the response's head; returns 0 to go on.
    int32_t (*_Nonnull header)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);
    /// A piece of the body; returns 0 to go on. `reachd_curl_easy_inform` knows the status.
    int32_t (*_Nonnull body)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);
    /// Called at least once a second; returns 0 to go on.
    int32_t (*_Nonnull tick)(void *_Nonnull context);
};

/// Makes an easy handle ready for a transfer of its own, on no multi: by HTTP/1.1, over libcurl's own sockets; names are
/// looked up, the server's certificate is verified against the system's authorities unless another function says otherwise.
/// No redirect is followed and nothing is taken from the environment.
void reachd_curl_easy_prepare_to_wait(reachd_curl_easy *_Nonnull easy, const struct reachd_curl_waiter *_Nonnull waiter);

/// Sets the milliseconds for the connection, and for everything; 0 for no limit.
void reachd_curl_easy_set_limits(reachd_curl_easy *_Nonnull easy, int64_t connection, int64_t total);

/// Sets that the server's certificate is not verified.
void reachd_curl_easy_trust_all(reachd_curl_easy *_Nonnull easy);

/// Makes the transfer that was prepared to be waited for, and returns 0 or a code. Blocks.
int32_t reachd_curl_easy_perform(reachd_curl_easy *_Nonnull easy);

#endif
