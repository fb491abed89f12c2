// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

extension DNSReader {
    /// Reads a record; nil if it, or its data, is malformed.
    mutating func record() -> DNSRecord? {
        guard let record = rawRecord() else { return nil }
        let type = DNSRecordType(rawValue: record.type)
        var inner = record.data
        guard let data = inner.data(of: type), inner.isAtEnd else { return nil }
        return DNSRecord(name: Self.text(ofName: record.name), type: type, timeToLive: record.timeToLive, data: data)
    }

    private mutating func data(of type: DNSRecordType) -> String? {
        switch type {
        case .a: return address(4)
        case .aaaa: return address(16)
        case .ns, .cname, .ptr: return name()
        case .mx:
            guard let preference = word(), let host = name() else { return nil }
            return "\(preference) \(host)"
        case .srv:
            guard let priority = word(), let weight = word(), let port = word(), let host = name() else { return nil }
            return "\(priority) \(weight) \(port) \(host)"
        case .soa:
            guard let server = name(), let mailbox = name(), let serial = long(), let refresh = long(),
                let retry = long(), let expire = long(), let minimum = long()
            else { return nil }
            return "\(server) \(mailbox) \(serial) \(refresh) \(retry) \(expire) \(minimum)"
        case .txt: return texts()
        case .naptr: return naming()
        case .ds: return delegation()
        case .sshfp: return fingerprint(numbers: 2)
        case .dnskey: return key()
        case .tlsa: return fingerprint(numbers: 3)
        case .svcb, .https: return binding()
        case .caa: return authorization()
        default:
            let rest = rest()
            let digits = rest.prefix(1_024).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "\\# \(rest.count)" + (digits.isEmpty ? "" : " \(digits)")
        }
    }

    private mutating func address(_ size: Int) -> String? {
        guard let part = bytes(size) else { return nil }
        return unsafe part.withUnsafeBytes { unsafe IPAddress(networkBytes: $0) }?.description
    }

    private mutating func name() -> String? {
        wireName().map(Self.text(ofName:))
    }

    private mutating func texts() -> String? {
        var whole: [UInt8] = []
        while let length = byte() {
            guard let text = bytes(Int(length)) else { return nil }
            whole += text
        }
        return Self.escape(whole)
    }
}

/// A record of an answer.
package struct DNSRecord: Sendable, Hashable {
    /// The owner name, with a trailing dot.
    package let name: String
    /// Its type.
    package let type: DNSRecordType
    /// The TTL in seconds.
    package let timeToLive: UInt32
    /// The data as in a zone file: `10 mail.example.`; the strings of a TXT record joined; types without a name as `\# 2 0aff`.
    package let data: String
}
