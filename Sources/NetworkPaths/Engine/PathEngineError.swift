// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// Why a ``PathEngine`` could not start.
public struct PathEngineError: Error, Sendable, Hashable {
    /// Stable codes, each with the exit status that a service should end with (linux-paths section 9).
    public enum Code: String, Sendable, Hashable {
        /// `AF_NETLINK` is not allowed here: a configuration fault, exit 78.
        case netlinkRefused = "netlink_refused"
        /// This kernel does not deliver network events: exit 69.
        case eventsUnavailable = "events_unavailable"
        /// Any other system call failed: exit 71.
        case system
    }

    /// The code.
    public let code: Code
    /// One sentence for a person: what is wrong and what to do.
    public let message: String

    /// Creates an error from its parts.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    static func netlinkRefused(_ error: SystemError) -> Self {
        Self(
            code: .netlinkRefused,
            message: "AF_NETLINK is refused (\(error)): allow it in the seccomp profile or add AF_NETLINK to "
                + "RestrictAddressFamilies"
        )
    }

    static func eventsUnavailable(group: String, code: Int32) -> Self {
        let error = SystemError(code: code, operation: group)
        return Self(
            code: .eventsUnavailable,
            message: "this kernel (gVisor?) does not deliver network events: \(error)"
        )
    }

    static func system(_ error: SystemError) -> Self {
        Self(code: .system, message: "\(error)")
    }
}

extension PathEngineError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
