// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
#include "CAres.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <sys/uio.h>
#include <unistd.h>

static ares_socket_t open_socket(int family, int type, int protocol, void *data) {
    (void)data;
    int number = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (number != -1 && type == SOCK_STREAM) {
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

static int connect_socket(ares_socket_t number, const struct sockaddr *address, ares_socklen_t length, void *data) {
    (void)data;
    return connect(number, address, length);
}

static ares_ssize_t receive(ares_socket_t number, void *buffer, size_t size, int flags, struct sockaddr *from,
                            ares_socklen_t *from_length, void *data) {
    const struct reachd_ares_sockets *sockets = data;
    ssize_t count = recvfrom(number, buffer, size, flags, from, from_length);
    if (count > 0) {
        int saved = errno;
        sockets->read(sockets->context, buffer, (size_t)count);
        errno = saved;
    } else if (count == 0 && from != NULL) {
        // c-ares up to 1.18 takes an empty datagram for the end of a stream and drops the server's socket
        // (CVE-2023-32067); no answer at all is what it is. Can go when 1.19.1 is the oldest that we meet.
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

static const struct ares_socket_functions functions = {
    .asocket = open_socket,
    .aclose = close_socket,
    .aconnect = connect_socket,
    .arecvfrom = receive,
    .asendv = send_pieces,
};

void reachd_ares_use_sockets(struct ares_channeldata *channel, struct reachd_ares_sockets *sockets) {
    ares_set_socket_functions(channel, &functions, sockets);
}
