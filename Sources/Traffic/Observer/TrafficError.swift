// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
package import LinuxIO

/// Why this machine's connections cannot be observed. Everything else works without them.
package struct TrafficError: Error, Sendable, Hashable {
    /// Stable codes.
    package enum Code: String, Sendable, Hashable {
        /// A sandbox refuses `AF_NETLINK` sockets.
        case refused = "traffic_refused"
        /// This kernel has no sock_diag for TCP, or does not report ended connections.
        case unsupported = "traffic_unsupported"
        /// Another system call failed.
        case system = "traffic_system"
        /// The event loop has ended.
        case closed = "traffic_closed"
    }

    /// The code.
    package let code: Code
    /// One sentence: what is wrong and what to do.
    package let message: String

    /// Classifies a failed system call by its `errno`.
    package init(_ error: SystemError) {
        switch error.code {
        case EPERM, EACCES, EAFNOSUPPORT:
            code = .refused
            message =
                "AF_NETLINK is refused (\(error)): allow it in the seccomp profile or add AF_NETLINK to "
                + "RestrictAddressFamilies"
        case EPROTONOSUPPORT, ENOENT, EINVAL, EOPNOTSUPP:
            code = .unsupported
            message =
                "this kernel does not report ended TCP connections (\(error)): load the module tcp_diag, or use "
                + "Linux 4.3 or later"
        default:
            code = .system
            message = "TCP connections cannot be observed: \(error)"
        }
    }

    private init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    static let closed = TrafficError(
        code: .closed,
        message: "TCP connections cannot be observed: the event loop has ended"
    )
}

extension TrafficError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
