// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// Which reason an `errno` is; it depends on what was being done.
enum ErrnoReason {
    /// What was being done.
    enum Stage: CaseIterable {
        /// A socket was made and set up.
        case setup
        /// Packets were sent and received.
        case transfer
    }

    static func reason(of code: Int32, at stage: Stage) -> ProbeReason {
        switch (code, stage) {
        case (EMFILE, _), (ENFILE, _): .outOfDescriptors
        case (ENOMEM, _), (ENOBUFS, _): .outOfMemory
        case (EAFNOSUPPORT, _), (EPROTONOSUPPORT, _): .familyUnsupported
        case (ENODEV, _), (ENXIO, _): .interfaceNotFound
        case (EPERM, .setup), (EACCES, .setup): .permissionDenied
        case (EADDRNOTAVAIL, .setup): .sourceUnavailable
        case (EADDRINUSE, _), (EADDRNOTAVAIL, .transfer): .outOfPorts
        case (EPERM, .transfer), (EACCES, .transfer): .prohibited
        case (ECONNREFUSED, .transfer): .connectRefused
        case (ECONNRESET, .transfer): .connectionReset
        // Who was connected and is not any more, without having hung up, was reset (tcp(7)).
        case (ENOTCONN, .transfer): .connectionReset
        case (EPIPE, .transfer), (ECONNABORTED, .transfer): .connectionClosed
        case (ETIMEDOUT, .transfer): .timeout
        case (EHOSTUNREACH, .transfer), (EHOSTDOWN, .transfer), (ENONET, .transfer): .hostUnreachable
        case (ENETUNREACH, .transfer): .networkUnreachable
        case (ENETDOWN, .transfer): .networkDown
        // What a route of type blackhole answers (linux-paths.md).
        case (EINVAL, .transfer): .blackhole
        case (EMSGSIZE, .transfer): .messageTooBig
        case (ENOPROTOOPT, .transfer), (EPROTO, .transfer): .protocolUnreachable
        default: .systemError
        }
    }
}

extension ProbeFault {
    /// A system call that failed.
    init(_ error: SystemError, at stage: ErrnoReason.Stage) {
        switch stage {
        case .setup: self.init(reason: ErrnoReason.reason(of: error.code, at: stage), detail: error.description)
        case .transfer: self.init(PacketError(systemError: error.code), error.description)
        }
    }
}
