// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// A file descriptor that is closed exactly once: when its owner goes.
package final class OwnedDescriptor: Sendable {
    /// The descriptor's number, valid as long as this object lives.
    package let number: Int32

    /// Takes over an open descriptor.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// A new event counter descriptor, `eventfd(2)`, non-blocking and close-on-exec.
    package static func eventCounter() throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(owning: try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) })
    }

    /// Adds one to an event counter; safe from any thread.
    package func signal() {
        // A full counter still wakes its reader, so the result says nothing that matters.
        _ = eventfd_write(number, 1)
    }

    /// Empties an event counter.
    package func drain() {
        var value: UInt64 = 0
        _ = unsafe eventfd_read(number, &value)
    }
}
