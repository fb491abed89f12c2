// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

#include "CTestSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <malloc.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int reachd_test_enter_network(int descriptor) {
    return setns(descriptor, CLONE_NEWNET) == 0 ? 0 : errno;
}

size_t reachd_test_heap_in_use(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

pid_t reachd_test_thread_id(void) {
    return gettid();
}

int reachd_test_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
}

int reachd_test_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

int reachd_test_attach_tun(const char *name, int is_tap) {
    int descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (descriptor == -1) return -errno;
    struct ifreq request = {.ifr_flags = (short)((is_tap ? IFF_TAP : IFF_TUN) | IFF_NO_PI)};
    strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
    if (ioctl(descriptor, TUNSETIFF, &request) == 0) return descriptor;
    int code = errno;
    close(descriptor);
    return -code;
}
