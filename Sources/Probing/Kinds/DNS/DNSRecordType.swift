// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The type of a record, by its number (RFC 1035, section 3.2.2).
package struct DNSRecordType: RawRepresentable, Sendable, Hashable {
    /// The number.
    package let rawValue: UInt16

    /// Creates a type from its number.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates a type from its name, in any case: `MX`, or `TYPE99` (RFC 3597).
    package init?(name: String) {
        let name = name.uppercased()
        if let known = Self.names.first(where: { $0.value == name }) {
            self.init(rawValue: known.key)
        } else if name.hasPrefix("TYPE"), let number = UInt16(name.dropFirst(4)) {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }

    /// An IPv4 address.
    package static let a = DNSRecordType(rawValue: 1)
    /// A name server.
    package static let ns = DNSRecordType(rawValue: 2)
    /// Another name.
    package static let cname = DNSRecordType(rawValue: 5)
    /// The start of a zone.
    package static let soa = DNSRecordType(rawValue: 6)
    /// The name of an address.
    package static let ptr = DNSRecordType(rawValue: 12)
    /// A mail server.
    package static let mx = DNSRecordType(rawValue: 15)
    /// Texts.
    package static let txt = DNSRecordType(rawValue: 16)
    /// An IPv6 address.
    package static let aaaa = DNSRecordType(rawValue: 28)
    /// A server of a service.
    package static let srv = DNSRecordType(rawValue: 33)
    /// A rule that makes another name or a URI of a name.
    package static let naptr = DNSRecordType(rawValue: 35)
    /// The digest of a key of the zone below.
    package static let ds = DNSRecordType(rawValue: 43)
    /// The fingerprint of an SSH key.
    package static let sshfp = DNSRecordType(rawValue: 44)
    /// A key of the zone.
    package static let dnskey = DNSRecordType(rawValue: 48)
    /// A certificate or key of a TLS server.
    package static let tlsa = DNSRecordType(rawValue: 52)
    /// Servers and parameters of a service.
    package static let svcb = DNSRecordType(rawValue: 64)
    /// Servers and parameters of HTTPS.
    package static let https = DNSRecordType(rawValue: 65)
    /// An authority that may issue certificates.
    package static let caa = DNSRecordType(rawValue: 257)
    /// In a query: all types.
    package static let any = DNSRecordType(rawValue: 255)

    private static let names: [UInt16: String] = [
        1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA", 33: "SRV", 35: "NAPTR",
        43: "DS",
        44: "SSHFP", 48: "DNSKEY", 52: "TLSA", 64: "SVCB", 65: "HTTPS", 255: "ANY", 257: "CAA",
    ]
}

extension DNSRecordType: CustomStringConvertible {
    /// The name, or `TYPE99`.
    package var description: String { Self.names[rawValue] ?? "TYPE\(rawValue)" }
}

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

    /// No error.
    package static let noError = DNSResponseCode(rawValue: 0)
    /// The server could not parse the query.
    package static let formatError = DNSResponseCode(rawValue: 1)
    /// The server failed.
    package static let serverFailure = DNSResponseCode(rawValue: 2)
    /// The name does not exist.
    package static let nameError = DNSResponseCode(rawValue: 3)
    /// The server does not support the query.
    package static let notImplemented = DNSResponseCode(rawValue: 4)
    /// The server refuses the query by policy.
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
