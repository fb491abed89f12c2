// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import ArgumentParser
public import Importing
import LinuxIO
import NetworkPaths
public import Probing
public import ServerTrust

/// A server as text: `example.org`, `example.org:8443`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`,
/// `fe80::1%eth0`.
struct TrustTarget {
    /// Why a text is not a server.
    struct Fault: Error {
        let words: String
    }

    /// The name or the address, without brackets and interface.
    let host: String
    /// The address; nil for a name.
    let address: IPAddress?
    /// What followed `%`.
    let interface: String?
    /// What followed the colon.
    let port: UInt16?

    init(_ text: String) throws(Fault) {
        let quoted = PrintableBytes.quote(text.utf8)
        guard !text.contains("/") else {
            throw Fault(words: "\(quoted) is not HOST[:PORT]: write it without // and path")
        }
        let (place, digits) = try Self.split(text, quoted)
        port = try digits.map { (digits) throws(Fault) in
            guard let number = UInt16(digits), number > 0, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw Fault(words: "\(quoted) has no port from 1 to 65535 after the colon")
            }
            return number
        }
        let parts = place.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if let address = IPAddress(parts[0]), parts.count == 1 || !parts[1].isEmpty {
            self.address = address
            host = address.description
            interface = parts.count == 2 ? parts[1] : nil
            return
        }
        guard let name = InternationalName.ascii(String(place)), Self.isName(name[...]) else {
            throw Fault(words: "\(quoted) is neither a host name nor an IP address")
        }
        (host, address, interface) = (name, nil, nil)
    }

    /// An IPv6 address has a port only after brackets.
    private static func split(_ text: String, _ quoted: String) throws(Fault) -> (Substring, Substring?) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), text[..<end].contains(":") else {
                throw Fault(words: "\(quoted) has no IPv6 address in its brackets")
            }
            let rest = text[end...].dropFirst()
            guard rest.isEmpty || rest.first == ":" else {
                throw Fault(words: "\(quoted) has characters other than :PORT after its brackets")
            }
            return (text[..<end].dropFirst(), rest.isEmpty ? nil : rest.dropFirst())
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return (text[...], nil) }
        return (text[..<colon], text[colon...].dropFirst())
    }

    private static func isName(_ text: Substring) -> Bool {
        let name = text.hasSuffix(".") ? text.dropLast() : text
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // A last label of digits is an address that was mistyped.
        guard name.utf8.count <= 253, let last = labels.last, last.contains(where: { !("0"..."9").contains($0) }) else {
            return false
        }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }
}

extension PinningMode: ExpressibleByArgument {
    /// By the names of the configuration; the numbers are for archives.
    public init?(argument: String) { self.init(name: argument) }

    /// The names, for the help.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    /// What each takes, for the help.
    public static var allValueDescriptions: [String: String] {
        [
            "none": "chains that lead to an anchor",
            "public_key": "chains that lead to an anchor and contain a pinned key",
            "certificate": "chains that lead to an anchor and to a pinned certificate",
        ]
    }

    /// The name, for the help.
    public var defaultValueDescription: String { name }
}

extension TrustCompatibility: ExpressibleByArgument {}
extension TrustPurpose: ExpressibleByArgument {}
extension StartTLSProtocol: ExpressibleByArgument {}
extension ForeignFormat: ExpressibleByArgument {}

extension StartTLSProtocol {
    /// The protocol's port in clear text.
    var port: UInt16 {
        switch self {
        case .smtp: 25
        case .imap: 143
        case .pop3: 110
        case .ftp: 21
        }
    }
}
