// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The response code of an answer, by its number (RFC 1035, section 4.1.1).
package struct DNSResponseCode: RawRepresentable, Sendable, Hashable {
    /// The number, 0 to 15.
    package let rawValue: UInt8

    /// Creates a code from its number.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates a code from its name, in any case: `NXDOMAIN`.
    package init?(name: String) {
        let name = name.uppercased()
        guard let number = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(number))
    }

    /// All is well.
    package static let noError = DNSResponseCode(rawValue: 0)
    /// The server cannot read the question.
    package static let formatError = DNSResponseCode(rawValue: 1)
    /// The server failed.
    package static let serverFailure = DNSResponseCode(rawValue: 2)
    /// There is no such name.
    package static let nameError = DNSResponseCode(rawValue: 3)
    /// The server does not know how.
    package static let notImplemented = DNSResponseCode(rawValue: 4)
    /// The server does not want to.
    package static let refused = DNSResponseCode(rawValue: 5)

    private static let names = [
        "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET", "NOTAUTH",
        "NOTZONE",
    ]
}

extension DNSResponseCode: CustomStringConvertible {
    /// The name as `dig` shows it, or `RCODE12`.
    package var description: String {
        Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "RCODE\(rawValue)"
    }
}
