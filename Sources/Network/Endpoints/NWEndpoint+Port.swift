// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension NWEndpoint {
    /// A port: Apple's `NWEndpoint.Port`.
    public struct Port: Sendable, Hashable, RawRepresentable, ExpressibleByIntegerLiteral {
        /// The number.
        public let rawValue: UInt16

        /// Takes a number; every number is a port, so it is never nil.
        public init?(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Takes a number.
        public init(integerLiteral value: UInt16) {
            rawValue = value
        }

        /// Reads a number; nil for any other text. Apple's framework also reads names of services.
        public init?(_ service: String) {
            guard let value = UInt16(service) else { return nil }
            rawValue = value
        }

        /// Port 0, which stands for any.
        public static let any: Port = 0
        /// SSH.
        public static let ssh: Port = 22
        /// Mail between servers.
        public static let smtp: Port = 25
        /// HTTP.
        public static let http: Port = 80
        /// POP3.
        public static let pop: Port = 110
        /// IMAP.
        public static let imap: Port = 143
        /// HTTP over TLS.
        public static let https: Port = 443
        /// IMAP over TLS.
        public static let imaps: Port = 993
        /// SOCKS.
        public static let socks: Port = 1080
    }
}

extension NWEndpoint.Port: CustomDebugStringConvertible {
    /// The number.
    public var debugDescription: String { "\(rawValue)" }
}
