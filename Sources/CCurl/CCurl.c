// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CCurl.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

_Static_assert((int)reachd_curl_ok == (int)CURLE_OK && (int)reachd_curl_unsupported_protocol == (int)CURLE_UNSUPPORTED_PROTOCOL
                   && (int)reachd_curl_url_malformed == (int)CURLE_URL_MALFORMAT
                   && (int)reachd_curl_couldnt_resolve_proxy == (int)CURLE_COULDNT_RESOLVE_PROXY
                   && (int)reachd_curl_couldnt_resolve_host == (int)CURLE_COULDNT_RESOLVE_HOST
                   && (int)reachd_curl_aborted == (int)CURLE_ABORTED_BY_CALLBACK
                   && (int)reachd_curl_couldnt_connect == (int)CURLE_COULDNT_CONNECT
                   && (int)reachd_curl_weird_server_reply == (int)CURLE_WEIRD_SERVER_REPLY && (int)reachd_curl_http2 == (int)CURLE_HTTP2
                   && (int)reachd_curl_partial_file == (int)CURLE_PARTIAL_FILE && (int)reachd_curl_write_error == (int)CURLE_WRITE_ERROR
                   && (int)reachd_curl_out_of_memory == (int)CURLE_OUT_OF_MEMORY
                   && (int)reachd_curl_timed_out == (int)CURLE_OPERATION_TIMEDOUT
                   && (int)reachd_curl_tls_connect_error == (int)CURLE_SSL_CONNECT_ERROR
                   && (int)reachd_curl_got_nothing == (int)CURLE_GOT_NOTHING
                   && (int)reachd_curl_engine_not_found == (int)CURLE_SSL_ENGINE_NOTFOUND
                   && (int)reachd_curl_engine_set_failed == (int)CURLE_SSL_ENGINE_SETFAILED
                   && (int)reachd_curl_send_error == (int)CURLE_SEND_ERROR && (int)reachd_curl_receive_error == (int)CURLE_RECV_ERROR
                   && (int)reachd_curl_certificate_problem == (int)CURLE_SSL_CERTPROBLEM
                   && (int)reachd_curl_cipher == (int)CURLE_SSL_CIPHER
                   && (int)reachd_curl_peer_failed_verification == (int)CURLE_PEER_FAILED_VERIFICATION
                   && (int)reachd_curl_bad_content_encoding == (int)CURLE_BAD_CONTENT_ENCODING
                   && (int)reachd_curl_ca_file == (int)CURLE_SSL_CACERT_BADFILE
                   && (int)reachd_curl_http2_stream == (int)CURLE_HTTP2_STREAM && (int)reachd_curl_proxy == (int)CURLE_PROXY,
               "the codes are libcurl's");

#if LIBCURL_VERSION_NUM >= 0x080600
_Static_assert((int)reachd_curl_too_large == (int)CURLE_TOO_LARGE, "the codes are libcurl's");
#endif

const char *reachd_curl_library_version(void) {
    return curl_version_info(CURLVERSION_NOW)->version;
}
_Static_assert(reachd_curl_interest_none == 0 && reachd_curl_interest_read == CURL_POLL_IN
                   && reachd_curl_interest_write == CURL_POLL_OUT && CURL_POLL_INOUT == (CURL_POLL_IN | CURL_POLL_OUT)
                   && reachd_curl_interest_read == CURL_CSELECT_IN && reachd_curl_interest_write == CURL_CSELECT_OUT,
               "the interests are libcurl's bits");

struct reachd_curl_multi {
    CURLM *handle;
    struct reachd_curl_driver driver;
};

struct reachd_curl_easy {
    CURL *handle;
    struct curl_slist *headers;
    struct curl_slist *connect_to;
    struct reachd_curl_receiver receiver;
    struct reachd_curl_waiter waiter;
    char error[CURL_ERROR_SIZE];
};

int32_t reachd_curl_prepare(void) {
    // Since 7.84 safe from any thread and counted; Debian 12 has 7.88.
    return (int32_t)curl_global_init(CURL_GLOBAL_DEFAULT);
}

const char *reachd_curl_words(int32_t code) {
    return curl_easy_strerror((CURLcode)code);
}

// MARK: URLs: libcurl's own reader, so that what we think of a URL is what libcurl does with it.

static char *part(CURLU *url, CURLUPart which, unsigned flags) {
    char *text = NULL;
    return curl_url_get(url, which, &text, flags) == CURLUE_OK ? text : NULL;
}

int32_t reachd_curl_url_parse(const char *base, const char *text, struct reachd_curl_url_parts *parts) {
    memset(parts, 0, sizeof *parts);
    CURLU *url = curl_url();
    if (url == NULL) return 0;
    CURLUcode code = CURLUE_OK;
    if (base != NULL) code = curl_url_set(url, CURLUPART_URL, base, 0);
    if (code == CURLUE_OK) {
        code = curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME | (base != NULL ? CURLU_URLENCODE : 0));
    }
    if (code == CURLUE_OK) {
        parts->scheme = part(url, CURLUPART_SCHEME, 0);
        parts->user = part(url, CURLUPART_USER, 0);
        parts->password = part(url, CURLUPART_PASSWORD, 0);
        parts->host = part(url, CURLUPART_HOST, 0);
        parts->zone = part(url, CURLUPART_ZONEID, 0);
        parts->port = part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
        parts->path = part(url, CURLUPART_PATH, 0);
        parts->query = part(url, CURLUPART_QUERY, 0);
    }
    curl_url_cleanup(url);
    return code == CURLUE_OK;
}

void reachd_curl_url_free(struct reachd_curl_url_parts *parts) {
    curl_free(parts->scheme);
    curl_free(parts->user);
    curl_free(parts->password);
    curl_free(parts->host);
    curl_free(parts->zone);
    curl_free(parts->port);
    curl_free(parts->path);
    curl_free(parts->query);
    memset(parts, 0, sizeof *parts);
}

// MARK: The multi

static int watch(CURL *easy, curl_socket_t socket, int what, void *data, void *socket_data) {
    (void)easy;
    (void)socket_data;
    const reachd_curl_multi *multi = data;
    multi->driver.watch(multi->driver.context, socket, what == CURL_POLL_REMOVE ? reachd_curl_interest_none : what);
    return 0;
}

static int schedule(CURLM *handle, long milliseconds, void *data) {
    (void)handle;
    const reachd_curl_multi *multi = data;
    multi->driver.schedule(multi->driver.context, milliseconds);
    return 0;
}

reachd_curl_multi *reachd_curl_multi_create(const struct reachd_curl_driver *driver) {
    reachd_curl_multi *multi = calloc(1, sizeof *multi);
    if (multi == NULL) return NULL;
    multi->driver = *driver;
    multi->handle = curl_multi_init();
    if (multi->handle == NULL) {
        free(multi);
        return NULL;
    }
    curl_multi_setopt(multi->handle, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi->handle, CURLMOPT_SOCKETDATA, multi);
    curl_multi_setopt(multi->handle, CURLMOPT_TIMERFUNCTION, schedule);
    curl_multi_setopt(multi->handle, CURLMOPT_TIMERDATA, multi);
    // Nobody waits for another's connection.
    curl_multi_setopt(multi->handle, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    return multi;
}

void reachd_curl_multi_destroy(reachd_curl_multi *multi) {
    curl_multi_cleanup(multi->handle);
    free(multi);
}

int32_t reachd_curl_multi_ready(reachd_curl_multi *multi, int32_t socket, int32_t interest) {
    int running = 0;
    return curl_multi_socket_action(multi->handle, socket, interest, &running);
}

int32_t reachd_curl_multi_timeout(reachd_curl_multi *multi) {
    int running = 0;
    return curl_multi_socket_action(multi->handle, CURL_SOCKET_TIMEOUT, 0, &running);
}

reachd_curl_easy *reachd_curl_multi_next(reachd_curl_multi *multi, int32_t *code) {
    int left = 0;
    const CURLMsg *message = NULL;
    while ((message = curl_multi_info_read(multi->handle, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = (int32_t)message->data.result;
        char *easy = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &easy);
        return (reachd_curl_easy *)(void *)easy;
    }
    return NULL;
}

int32_t reachd_curl_multi_add(reachd_curl_multi *multi, reachd_curl_easy *easy) {
    return curl_multi_add_handle(multi->handle, easy->handle);
}

void reachd_curl_multi_remove(reachd_curl_multi *multi, reachd_curl_easy *easy) {
    curl_multi_remove_handle(multi->handle, easy->handle);
}

// MARK: Transfers

static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    const reachd_curl_easy *easy = data;
    // The address is a sockaddr with room behind it for any family.
    struct sockaddr_storage storage;
    memset(&storage, 0, sizeof storage);
    size_t length = 0;
    int32_t socket = easy->receiver.open(easy->receiver.context, (uint8_t *)&storage, sizeof storage, &length);
    if (socket < 0 || length == 0 || length > address->addrlen) return CURL_SOCKET_BAD;
    memcpy(&address->addr, &storage, length);
    address->addrlen = (unsigned)length;
    return socket;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *data) {
    const reachd_curl_easy *easy = data;
    int32_t stop = easy->receiver.header(easy->receiver.context, (const uint8_t *)bytes, size * count);
    return stop == 0 ? size * count : CURL_WRITEFUNC_ERROR;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *data) {
    const reachd_curl_easy *easy = data;
    int32_t stop = easy->receiver.body(easy->receiver.context, (const uint8_t *)bytes, size * count);
    return stop == 0 ? size * count : CURL_WRITEFUNC_ERROR;
}

static CURLcode secure(CURL *handle, void *ssl_context, void *data) {
    (void)handle;
    const reachd_curl_easy *easy = data;
    return easy->receiver.secure(easy->receiver.context, ssl_context) == 0 ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK;
}

reachd_curl_easy *reachd_curl_easy_create(void) {
    reachd_curl_easy *easy = calloc(1, sizeof *easy);
    if (easy == NULL) return NULL;
    easy->handle = curl_easy_init();
    if (easy->handle == NULL) {
        free(easy);
        return NULL;
    }
    return easy;
}

static void free_lists(reachd_curl_easy *easy) {
    curl_slist_free_all(easy->headers);
    curl_slist_free_all(easy->connect_to);
    easy->headers = NULL;
    easy->connect_to = NULL;
}

void reachd_curl_easy_destroy(reachd_curl_easy *easy) {
    curl_easy_cleanup(easy->handle);
    free_lists(easy);
    free(easy);
}

/// What holds for every transfer.
static void reset(reachd_curl_easy *easy) {
    CURL *handle = easy->handle;
    curl_easy_reset(handle);
    // This is what a reset leaves.
    curl_easy_setopt(handle, CURLOPT_COOKIELIST, "ALL");
    free_lists(easy);
    easy->error[0] = 0;
    curl_easy_setopt(handle, CURLOPT_PRIVATE, easy);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, easy->error);
    // Signals are the program's own.
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    // Not what the variables http_proxy and no_proxy say.
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "");
}

void reachd_curl_easy_prepare(reachd_curl_easy *easy, const struct reachd_curl_receiver *receiver) {
    CURL *handle = easy->handle;
    reset(easy);
    easy->receiver = *receiver;
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 1L);
    // A probe is about the connection: it is fresh, and no probe inherits it.
    curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(handle, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    curl_easy_setopt(handle, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    // The run's deadline is the only one; libcurl's default for the connection could come before it.
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, 2000000000L);
    curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    // A slice of what a connection is read in: libcurl then takes it whole.
    curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 16384L);
    // Chain and name are verified by what `secure` sets up; libcurl would read the authorities' file anew each time.
    curl_easy_setopt(handle, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(handle, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, secure);
    curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, easy);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, easy);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, easy);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, easy);
}

static int32_t append(CURL *handle, CURLoption option, struct curl_slist **list, const char *text) {
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (longer == NULL) return CURLE_OUT_OF_MEMORY;
    *list = longer;
    return (int32_t)curl_easy_setopt(handle, option, longer);
}

int32_t reachd_curl_easy_set(reachd_curl_easy *easy, enum reachd_curl_text which, const char *text) {
    switch (which) {
    case reachd_curl_url: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_URL, text);
    case reachd_curl_method: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_CUSTOMREQUEST, text);
    case reachd_curl_proxy_url: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_PROXY, text);
    case reachd_curl_user: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_USERNAME, text);
    case reachd_curl_password: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_PASSWORD, text);
    case reachd_curl_proxy_user: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_PROXYUSERNAME, text);
    case reachd_curl_proxy_password: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_PROXYPASSWORD, text);
    case reachd_curl_cookie: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_COOKIELIST, text);
    case reachd_curl_own_cookies: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_COOKIE, text);
    case reachd_curl_connect_to: return append(easy->handle, CURLOPT_CONNECT_TO, &easy->connect_to, text);
    case reachd_curl_header: return append(easy->handle, CURLOPT_HTTPHEADER, &easy->headers, text);
    case reachd_curl_unix_socket: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_UNIX_SOCKET_PATH, text);
    case reachd_curl_authorities:
        curl_easy_setopt(easy->handle, CURLOPT_CAPATH, NULL);
        return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_CAINFO, text);
    case reachd_curl_client_certificate: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_SSLCERT, text);
    case reachd_curl_client_key: return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_SSLKEY, text);
    }
    return CURLE_UNKNOWN_OPTION;
}

void reachd_curl_easy_keep_cookies(reachd_curl_easy *easy) {
    // Any cookie enables libcurl's engine; this one is for no host, and over since 1970. A file of none would do the same, but libcurl
    // 7.88 loses its name with each reset.
    curl_easy_setopt(easy->handle, CURLOPT_COOKIELIST, "invalid\tFALSE\t/\tFALSE\t1\ta\tb");
}

void reachd_curl_easy_cookies(reachd_curl_easy *easy, void *context, void (*take)(void *context, const char *cookie)) {
    struct curl_slist *list = NULL;
    curl_easy_getinfo(easy->handle, CURLINFO_COOKIELIST, &list);
    for (const struct curl_slist *cookie = list; cookie != NULL; cookie = cookie->next) take(context, cookie->data);
    curl_slist_free_all(list);
}

int32_t reachd_curl_easy_set_body(reachd_curl_easy *easy, const uint8_t *bytes, size_t count) {
    curl_easy_setopt(easy->handle, CURLOPT_POST, 1L);
    curl_easy_setopt(easy->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return (int32_t)curl_easy_setopt(easy->handle, CURLOPT_COPYPOSTFIELDS, count == 0 ? "" : (const char *)bytes);
}

void reachd_curl_easy_set_head(reachd_curl_easy *easy) {
    curl_easy_setopt(easy->handle, CURLOPT_NOBODY, 1L);
}

void reachd_curl_easy_set_version(reachd_curl_easy *easy, enum reachd_curl_version version) {
    long value = CURL_HTTP_VERSION_2TLS;
    if (version == reachd_curl_version_1_1) value = CURL_HTTP_VERSION_1_1;
    if (version == reachd_curl_version_2) value = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    curl_easy_setopt(easy->handle, CURLOPT_HTTP_VERSION, value);
}

static int64_t microseconds(CURL *handle, CURLINFO which) {
    curl_off_t value = 0;
    curl_easy_getinfo(handle, which, &value);
    return value;
}

static int32_t number(CURL *handle, CURLINFO which) {
    long value = 0;
    curl_easy_getinfo(handle, which, &value);
    return (int32_t)value;
}

void reachd_curl_easy_inform(reachd_curl_easy *easy, struct reachd_curl_information *information) {
    CURL *handle = easy->handle;
    information->secured = microseconds(handle, CURLINFO_APPCONNECT_TIME_T);
    information->requested = microseconds(handle, CURLINFO_PRETRANSFER_TIME_T);
    information->answered = microseconds(handle, CURLINFO_STARTTRANSFER_TIME_T);
    information->total = microseconds(handle, CURLINFO_TOTAL_TIME_T);
    information->status = number(handle, CURLINFO_RESPONSE_CODE);
    information->proxy_status = number(handle, CURLINFO_HTTP_CONNECTCODE);
    switch (number(handle, CURLINFO_HTTP_VERSION)) {
    case CURL_HTTP_VERSION_1_0: information->version = 10; break;
    case CURL_HTTP_VERSION_1_1: information->version = 11; break;
    case CURL_HTTP_VERSION_2_0: information->version = 20; break;
    default: information->version = 0;
    }
}

const char *reachd_curl_easy_error(reachd_curl_easy *easy) {
    return easy->error;
}

void *reachd_curl_easy_ssl(reachd_curl_easy *easy) {
    const struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy->handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return NULL;
    return session != NULL && session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// MARK: A transfer that is waited for

static size_t hand_header(char *bytes, size_t size, size_t count, void *data) {
    const reachd_curl_easy *easy = data;
    int32_t stop = easy->waiter.header(easy->waiter.context, (const uint8_t *)bytes, size * count);
    return stop == 0 ? size * count : CURL_WRITEFUNC_ERROR;
}

static size_t hand_body(char *bytes, size_t size, size_t count, void *data) {
    const reachd_curl_easy *easy = data;
    int32_t stop = easy->waiter.body(easy->waiter.context, (const uint8_t *)bytes, size * count);
    return stop == 0 ? size * count : CURL_WRITEFUNC_ERROR;
}

static int tick(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    const reachd_curl_easy *easy = data;
    return easy->waiter.tick(easy->waiter.context) == 0 ? 0 : 1;
}

void reachd_curl_easy_prepare_to_wait(reachd_curl_easy *easy, const struct reachd_curl_waiter *waiter) {
    CURL *handle = easy->handle;
    reset(easy);
    easy->waiter = *waiter;
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(handle, CURLOPT_TCP_KEEPIDLE, 30L);
    curl_easy_setopt(handle, CURLOPT_TCP_KEEPINTVL, 10L);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, hand_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, easy);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, hand_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, easy);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, tick);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, easy);
}

void reachd_curl_easy_set_limits(reachd_curl_easy *easy, int64_t connection, int64_t total) {
    curl_easy_setopt(easy->handle, CURLOPT_CONNECTTIMEOUT_MS, (long)connection);
    curl_easy_setopt(easy->handle, CURLOPT_TIMEOUT_MS, (long)total);
}

void reachd_curl_easy_trust_all(reachd_curl_easy *easy) {
    curl_easy_setopt(easy->handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy->handle, CURLOPT_SSL_VERIFYHOST, 0L);
}

int32_t reachd_curl_easy_perform(reachd_curl_easy *easy) {
    return (int32_t)curl_easy_perform(easy->handle);
}
