// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// The data of the records that say which keys, certificates and services are a name's, as in a zone file.
extension DNSReader {
    /// `0 issue "ca.example"` (RFC 8659, section 4.1).
    mutating func authorization() -> String? {
        guard let flags = byte(), let tag = characters() else { return nil }
        return "\(flags) \(Self.escape(tag)) \(Self.quoted(rest()))"
    }

    /// `60485 5 1 2BB183AF…` (RFC 4034, section 5.3).
    mutating func delegation() -> String? {
        guard let tag = word(), let algorithm = byte(), let digest = byte() else { return nil }
        return "\(tag) \(algorithm) \(digest) \(hexadecimal())"
    }

    /// `257 3 13 mdsswUyr…` (RFC 4034, section 2.2).
    mutating func key() -> String? {
        guard let flags = word(), let version = byte(), let algorithm = byte() else { return nil }
        return "\(flags) \(version) \(algorithm) \(Base64.text(rest()))"
    }

    /// `3 1 1 0D6FCE3B…` (RFC 6698, section 2.2), and with two numbers `4 2 123456…` (RFC 4255, section 3.2).
    mutating func fingerprint(numbers: Int) -> String? {
        guard let parameters = bytes(numbers) else { return nil }
        return (parameters.map { "\($0)" } + [hexadecimal()]).joined(separator: " ")
    }

    /// `100 10 "U" "E2U+sip" "!^.*$!sip:a@example!" .` (RFC 3403, section 4.1).
    mutating func naming() -> String? {
        guard let order = word(), let preference = word(), let flags = characters(), let service = characters(),
            let expression = characters(), let replacement = wireName()
        else { return nil }
        let texts = [flags, service, expression].map(Self.quoted).joined(separator: " ")
        return "\(order) \(preference) \(texts) \(Self.text(ofName: replacement))"
    }

    /// `1 . alpn="h2,h3" ipv4hint=192.0.2.1` (RFC 9460, section 2.1).
    mutating func binding() -> String? {
        guard let priority = word(), let target = wireName() else { return nil }
        var words = ["\(priority)", Self.text(ofName: target)]
        while !isAtEnd {
            guard let key = word(), let size = word(), let value = bytes(Int(size)),
                let parameter = Self.parameter(key, value)
            else { return nil }
            words.append(parameter)
        }
        return words.joined(separator: " ")
    }

    private static let parameterNames = [
        "mandatory", "alpn", "no-default-alpn", "port", "ipv4hint", "ech", "ipv6hint", "dohpath", "ohttp",
    ]

    private static func parameter(_ key: UInt16, _ value: [UInt8]) -> String? {
        let name = parameterName(key)
        guard !value.isEmpty else { return name }
        var reader = DNSReader(value)
        var parts: [String] = []
        switch key {
        case 0:
            while let key = reader.word() { parts.append(parameterName(key)) }
        case 1:
            while let text = reader.characters() { parts.append(escape(text)) }
            guard reader.isAtEnd else { return nil }
            return "\(name)=\"\(parts.joined(separator: ","))\""
        case 3:
            if let port = reader.word() { parts.append("\(port)") }
        case 4, 6:
            while let part = reader.bytes(key == 4 ? 4 : 16) {
                let address = unsafe part.withUnsafeBytes { unsafe IPAddress(networkBytes: $0) }
                parts.append(address?.description ?? "")
            }
        case 5: return "\(name)=\(Base64.text(value))"
        default: return "\(name)=\(quoted(value))"
        }
        return reader.isAtEnd ? "\(name)=\(parts.joined(separator: ","))" : nil
    }

    private static func parameterName(_ key: UInt16) -> String {
        Int(key) < parameterNames.count ? parameterNames[Int(key)] : "key\(key)"
    }

    /// A text with its length before it.
    private mutating func characters() -> [UInt8]? { byte().flatMap { bytes(Int($0)) } }

    private mutating func hexadecimal() -> String { PrintableBytes.hexadecimal(rest()).uppercased() }

    private static func quoted(_ bytes: [UInt8]) -> String { "\"\(escape(bytes, also: [UInt8(ascii: "\"")]))\"" }
}
