// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// Why a server could not start.
package struct HTTPServerError: Error, Sendable, Hashable {
    /// What kind of reason; stable.
    package struct Code: Sendable, Hashable {
        private let name: String

        /// The text is neither an address with a port nor a unix socket's path.
        package static let invalidAddress = Code(name: "invalid_address")
        /// Another socket listens there.
        package static let addressInUse = Code(name: "address_in_use")
        /// The machine has no such address, or the path's directory does not exist.
        package static let addressNotAvailable = Code(name: "address_not_available")
        /// The process may not listen there.
        package static let permissionDenied = Code(name: "permission_denied")
        /// A descriptor that was handed over is no listening stream socket.
        package static let unusableSocket = Code(name: "unusable_socket")
        /// A certificate or its key cannot be read, or not be used, or not with one another.
        package static let unusableCertificate = Code(name: "unusable_certificate")
        /// The server runs or ran already.
        package static let alreadyStarted = Code(name: "already_started")
        /// A system call or the HTTP library failed otherwise.
        package static let system = Code(name: "system")
    }

    /// What kind of reason.
    package let code: Code
    /// The reason in words, with the address.
    package let message: String

    init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: SystemError, address: ListenAddress) {
        code =
            switch error.code {
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL, ENOENT, ENOTDIR, EAFNOSUPPORT, ENAMETOOLONG, ENODEV: .addressNotAvailable
            case EACCES, EPERM, EROFS: .permissionDenied
            default: .system
            }
        message = "\(address): \(error)"
    }

    init(_ error: SystemError) {
        code = .system
        message = "\(error)"
    }
}

extension HTTPServerError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
