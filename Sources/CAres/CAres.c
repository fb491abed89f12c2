// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CAres.h"

// The functions that c-ares 1.28 and later call deprecated are the only ones that 1.18 has too, and c-ares goes on having them.
#define CARES_NO_DEPRECATED
#include <ares.h>
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert((int)reachd_ares_success == (int)ARES_SUCCESS && (int)reachd_ares_no_data == (int)ARES_ENODATA
                   && (int)reachd_ares_bad_format == (int)ARES_EFORMERR && (int)reachd_ares_server_failure == (int)ARES_ESERVFAIL
                   && (int)reachd_ares_not_found == (int)ARES_ENOTFOUND && (int)reachd_ares_not_implemented == (int)ARES_ENOTIMP
                   && (int)reachd_ares_refused == (int)ARES_EREFUSED && (int)reachd_ares_bad_name == (int)ARES_EBADNAME
                   && (int)reachd_ares_bad_answer == (int)ARES_EBADRESP && (int)reachd_ares_connection_refused == (int)ARES_ECONNREFUSED
                   && (int)reachd_ares_timed_out == (int)ARES_ETIMEOUT && (int)reachd_ares_no_memory == (int)ARES_ENOMEM
                   && (int)reachd_ares_destroyed == (int)ARES_EDESTRUCTION && (int)reachd_ares_cancelled == (int)ARES_ECANCELLED,
               "the codes are c-ares's");

// The options as c-ares 1.34 has them. New ones are appended, and each is read when its bit is set.
union options {
    struct ares_options known;
    struct {
        char until_paths[offsetof(struct ares_options, resolvconf_path)];
        char *configuration_path;
        char *hosts_path;
        int udp_max_queries;
        int longest_timeout;
        unsigned int cache_time;
    } later;
};

#ifdef ARES_OPT_QUERY_CACHE
_Static_assert(offsetof(struct ares_options, qcache_max_ttl) == offsetof(union options, later.cache_time)
                   && offsetof(struct ares_options, maxtimeout) == offsetof(union options, later.longest_timeout),
               "the options are c-ares's");
#endif

enum {
    // ARES_OPT_QUERY_CACHE, which comes with c-ares 1.30; others pass over it.
    option_query_cache = 1 << 21,
    // ARES_OPT_MAXTIMEOUTMS, which comes with c-ares 1.22.
    option_longest_timeout = 1 << 20,
    // The first version of c-ares that measures how quick a server is.
    version_measuring = 0x012000,
    // 250 ms and at least as much, twice and four times as much: together the 2 s that a try has without measuring.
    measuring_tries = 2,
    // As in ServerList.
    maximum_servers = 16,
};

struct server {
    int family;
    uint8_t address[16];
    /// Empty for an address that needs none.
    char interface[IF_NAMESIZE];
};

struct reachd_ares_channel {
    ares_channel channel;
    void *context;
    void (*watch)(void *context, int32_t socket, int32_t readable, int32_t writable);
    void (*read)(void *context, const uint8_t *bytes, size_t count, int32_t server);
    void (*failed)(void *context, int32_t code);
    /// How much may still be read in this turn.
    size_t budget;
    struct server servers[maximum_servers];
    size_t server_count;
    /// How many link-local servers were connected: of several with one address each has its turn.
    size_t connected;
};

/// How much c-ares reads in one turn: it reads a socket until it is empty, and a server may send faster than that. The
/// socket stays ready, and the next turn goes on.
static const size_t turn_budget = 64 << 10;
/// What a message costs at least, however short it is.
static const size_t message_cost = 512;

// MARK: Sockets: close-on-exec and non-blocking from birth, without SIGPIPE, and showing what they read.

// c-ares looks at `errno` next.
static void report_failure(const reachd_ares_channel *channel) {
    int code = errno;
    channel->failed(channel->context, code);
    errno = code;
}

static ares_socket_t open_socket(int family, int type, int protocol, void *data) {
    int number = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (number == -1) {
        report_failure(data);
    } else if (type == SOCK_STREAM) {
        int yes = 1;
        // Without it a question waits for the acknowledgement of the one before; a refusal only costs that time.
        (void)setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    return number;
}

static int close_socket(ares_socket_t number, void *data) {
    (void)data;
    return close(number);
}

// c-ares 1.18 knows no interfaces: they are added here.
static void add_interface(struct sockaddr_in6 *address, reachd_ares_channel *channel) {
    size_t matches = 0, places[maximum_servers];
    for (size_t place = 0; place < channel->server_count; place++) {
        const struct server *server = &channel->servers[place];
        if (server->interface[0] != 0 && memcmp(server->address, &address->sin6_addr, 16) == 0) places[matches++] = place;
    }
    if (matches == 0) return;
    address->sin6_scope_id = if_nametoindex(channel->servers[places[channel->connected++ % matches]].interface);
}

static int connect_socket(ares_socket_t number, const struct sockaddr *address, ares_socklen_t length, void *data) {
    struct sockaddr_in6 scoped;
    if (address->sa_family == AF_INET6 && length == sizeof scoped) {
        memcpy(&scoped, address, sizeof scoped);
        if (scoped.sin6_scope_id == 0) add_interface(&scoped, data);
        address = (const struct sockaddr *)&scoped;
    }
    int result = connect(number, address, length);
    if (result == -1 && errno != EINPROGRESS) report_failure(data);
    return result;
}

// Whether a datagram can be an answer, by its header. c-ares from 1.28 on closes the socket at any that it cannot read, and so lets
// anybody end a question who knows its port.
static bool may_be_answer(const uint8_t *bytes, ssize_t count) {
    return count >= 12 && (bytes[2] & 0x80) != 0 && bytes[4] == 0 && bytes[5] <= 1;
}

// The place of the server that a datagram is from, or -1.
static int32_t place_of(const reachd_ares_channel *channel, const struct sockaddr *from) {
    if (from == NULL) return -1;
    bool is_ipv6 = from->sa_family == AF_INET6;
    const void *address = is_ipv6 ? (const void *)&((const struct sockaddr_in6 *)from)->sin6_addr
                                  : (const void *)&((const struct sockaddr_in *)from)->sin_addr;
    for (size_t place = 0; place < channel->server_count; place++) {
        const struct server *server = &channel->servers[place];
        if (server->family == from->sa_family && memcmp(server->address, address, is_ipv6 ? 16 : 4) == 0) return (int32_t)place;
    }
    return -1;
}

static ares_ssize_t receive(ares_socket_t number, void *buffer, size_t size, int flags, struct sockaddr *from,
                            ares_socklen_t *from_length, void *data) {
    reachd_ares_channel *channel = data;
    if (channel->budget == 0) {
        errno = EAGAIN;
        return -1;
    }
    ssize_t count = recvfrom(number, buffer, size, flags, from, from_length);
    size_t cost = count > (ssize_t)message_cost ? (size_t)count : message_cost;
    channel->budget -= cost < channel->budget ? cost : channel->budget;
    if (count > 0 && from != NULL && !may_be_answer(buffer, count)) {
        // The socket stays ready when there is more.
        errno = EAGAIN;
        count = -1;
    } else if (count > 0) {
        channel->read(channel->context, buffer, (size_t)count, place_of(channel, from));
    } else if (count == 0 && from != NULL) {
        // c-ares before 1.19.1 takes an empty datagram for the end of a stream and drops the server's socket
        // (CVE-2023-32067), unless the distribution has mended it, as Debian 12 has. It is no answer, that is all.
        errno = EAGAIN;
        count = -1;
    }
    return count;
}

static ares_ssize_t send_pieces(ares_socket_t number, const struct iovec *pieces, int count, void *data) {
    (void)data;
    struct msghdr message = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = (size_t)count};
    return sendmsg(number, &message, MSG_NOSIGNAL);
}

static const struct ares_socket_functions socket_functions = {
    .asocket = open_socket,
    .aclose = close_socket,
    .aconnect = connect_socket,
    .arecvfrom = receive,
    .asendv = send_pieces,
};

static void socket_changed(void *data, ares_socket_t number, int readable, int writable) {
    const reachd_ares_channel *channel = data;
    channel->watch(channel->context, number, readable, writable);
}

// MARK: Channels

const char *reachd_ares_version(void) {
    return ares_version(NULL);
}

const char *reachd_ares_words(int32_t status) {
    return ares_strerror(status);
}

static void read_servers(reachd_ares_channel *self, const char *texts) {
    while (*texts != 0 && self->server_count < maximum_servers) {
        size_t length = strcspn(texts, ","), digits = strcspn(texts, ",%");
        char text[INET6_ADDRSTRLEN] = "";
        struct server *server = &self->servers[self->server_count];
        if (digits < sizeof text) memcpy(text, texts, digits);
        server->family = strchr(text, ':') == NULL ? AF_INET : AF_INET6;
        if (digits < length && length - digits - 1 < IF_NAMESIZE) {
            memcpy(server->interface, texts + digits + 1, length - digits - 1);
        }
        if (inet_pton(server->family, text, server->address) == 1) self->server_count += 1;
        texts += length;
        if (*texts == ',') texts += 1;
    }
}

static size_t count_servers(ares_channel channel) {
    struct ares_addr_node *list = NULL;
    size_t count = 0;
    if (ares_get_servers(channel, &list) != ARES_SUCCESS) return 0;
    for (const struct ares_addr_node *server = list; server != NULL; server = server->next) count++;
    ares_free_data(list);
    return count;
}

static int set_servers(reachd_ares_channel *self, const char *texts) {
    // Newer versions take interfaces, and pass over link-local addresses without one.
    if (strchr(texts, '%') != NULL && ares_set_servers_csv(self->channel, texts) == ARES_SUCCESS
        && count_servers(self->channel) == self->server_count) {
        return ARES_SUCCESS;
    }
    struct ares_addr_node nodes[maximum_servers] = {0};
    for (size_t place = 0; place < self->server_count; place++) {
        nodes[place].family = self->servers[place].family;
        memcpy(&nodes[place].addr, self->servers[place].address, nodes[place].family == AF_INET6 ? 16 : 4);
        if (place + 1 < self->server_count) nodes[place].next = &nodes[place + 1];
    }
    return ares_set_servers(self->channel, nodes);
}

reachd_ares_channel *reachd_ares_create(const struct reachd_ares_configuration *configuration, int32_t *status) {
    reachd_ares_channel *self = calloc(1, sizeof *self);
    if (self == NULL) {
        *status = ARES_ENOMEM;
        return NULL;
    }
    self->context = configuration->context;
    self->watch = configuration->watch;
    self->read = configuration->read;
    self->failed = configuration->failed;
    // c-ares copies both texts. The servers are read elsewhere too. "b": it asks servers only; the hosts file is read elsewhere.
    char lookups[] = "b", no_file[] = "/dev/null";
    // Answers are kept elsewhere, and a name is asked for anew when there is reason to: without a cache here.
    union options options;
    memset(&options, 0, sizeof options);
    options.known.timeout = configuration->timeout;
    options.known.tries = configuration->tries;
    options.known.udp_port = configuration->port;
    options.known.tcp_port = configuration->port;
    options.known.lookups = lookups;
    options.known.sock_state_cb = socket_changed;
    options.known.sock_state_cb_data = self;
    options.known.resolvconf_path = no_file;
    // Who has been quick is then given as little as 250 ms for the first try, and has to look for some names for longer. An answer to
    // any of the tries is taken: with more of them he has as long as before.
    int version = 0;
    ares_version(&version);
    if (version >= version_measuring) {
        options.known.tries += measuring_tries;
        options.later.longest_timeout = configuration->timeout;
    }
    *status = ares_init_options(&self->channel, &options.known,
                                ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT
                                    | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB | ARES_OPT_RESOLVCONF
                                    | (configuration->rotates ? ARES_OPT_ROTATE : ARES_OPT_NOROTATE) | option_query_cache | (version >= version_measuring ? option_longest_timeout : 0));
    if (*status != ARES_SUCCESS) {
        free(self);
        return NULL;
    }
    read_servers(self, configuration->servers);
    *status = set_servers(self, configuration->servers);
    if (*status != ARES_SUCCESS) {
        ares_destroy(self->channel);
        free(self);
        return NULL;
    }
    ares_set_socket_functions(self->channel, &socket_functions, self);
    return self;
}

void reachd_ares_destroy(reachd_ares_channel *channel) {
    if (channel == NULL) return;
    ares_destroy(channel->channel);
    free(channel);
}

void reachd_ares_cancel(reachd_ares_channel *channel) {
    ares_cancel(channel->channel);
}

void reachd_ares_process(reachd_ares_channel *channel, int32_t readable, int32_t writable) {
    channel->budget = turn_budget;
    ares_process_fd(channel->channel, readable, writable);
}

int64_t reachd_ares_timeout(reachd_ares_channel *channel) {
    struct timeval interval = {0};
    if (ares_timeout(channel->channel, NULL, &interval) == NULL) return -1;
    return (int64_t)interval.tv_sec * 1000 + interval.tv_usec / 1000;
}

// MARK: Questions

struct question {
    reachd_ares_end end;
    void *argument;
};

static void question_ended(void *data, int status, int timeouts, unsigned char *answer, int size) {
    (void)timeouts;
    struct question question = *(struct question *)data;
    free(data);
    question.end(question.argument, status, answer, answer != NULL && size > 0 ? (size_t)size : 0);
}

int32_t reachd_ares_ask(reachd_ares_channel *channel, const char *name, int32_t type, uint16_t id,
                        reachd_ares_end end, void *argument) {
    unsigned char *message = NULL;
    int size = 0;
    const int class_in = 1, recursion_desired = 1, no_edns = 0;
    int status = ares_create_query(name, class_in, type, id, recursion_desired, &message, &size, no_edns);
    if (status != ARES_SUCCESS) return status;
    struct question *question = malloc(sizeof *question);
    if (question == NULL) {
        ares_free_string(message);
        return ARES_ENOMEM;
    }
    *question = (struct question){.end = end, .argument = argument};
    ares_send(channel->channel, message, size, question_ended, question);
    ares_free_string(message);
    return ARES_SUCCESS;
}

static int32_t parse_ipv4(const uint8_t *answer, int size, struct reachd_ares_address *addresses, int *count) {
    struct ares_addrttl *found = calloc((size_t)*count, sizeof *found);
    if (found == NULL) {
        *count = 0;
        return ARES_ENOMEM;
    }
    int status = ares_parse_a_reply(answer, size, NULL, found, count);
    for (int index = 0; index < *count; index++) {
        memcpy(addresses[index].bytes, &found[index].ipaddr, 4);
        addresses[index].time_to_live = found[index].ttl;
    }
    free(found);
    return status;
}

static int32_t parse_ipv6(const uint8_t *answer, int size, struct reachd_ares_address *addresses, int *count) {
    struct ares_addr6ttl *found = calloc((size_t)*count, sizeof *found);
    if (found == NULL) {
        *count = 0;
        return ARES_ENOMEM;
    }
    int status = ares_parse_aaaa_reply(answer, size, NULL, found, count);
    for (int index = 0; index < *count; index++) {
        memcpy(addresses[index].bytes, &found[index].ip6addr, 16);
        addresses[index].time_to_live = found[index].ttl;
    }
    free(found);
    return status;
}

int32_t reachd_ares_parse(const uint8_t *answer, size_t size, int32_t is_ipv6, struct reachd_ares_address *addresses,
                          size_t *count) {
    int room = *count > INT_MAX ? INT_MAX : (int)*count;
    *count = 0;
    if (size > INT_MAX || room == 0) return ARES_EBADRESP;
    int32_t status = is_ipv6 ? parse_ipv6(answer, (int)size, addresses, &room)
                             : parse_ipv4(answer, (int)size, addresses, &room);
    *count = room > 0 ? (size_t)room : 0;
    return status;
}
