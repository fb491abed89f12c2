// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// The TLS state shared by all runs. On the loop's thread.
final class TLSService {
    private let contexts = TLSContextCache()
    private let wallClock: @Sendable () -> Int64

    /// - Parameter wallClock: The time in seconds since 1970.
    init(wallClock: @escaping @Sendable () -> Int64) {
        self.wallClock = wallClock
    }

    /// Returns the verification for one handshake.
    ///
    /// - Throws: ``ProbeFault`` when a file or the settings cannot be used.
    func check(_ settings: TLSSettings, host: ProbeHost) throws(ProbeFault) -> TLSCheck {
        let name = try TLSPeerName(settings, host: host)
        let context = try contexts.context(for: settings)
        let trust = try contexts.evaluator(for: settings)
        return TLSCheck(context, trust, for: name, at: wallClock())
    }
}

/// The name for SNI, and the name that the certificate must be valid for.
struct TLSPeerName: Hashable {
    /// The verified name or address.
    let domain: String
    /// The server that is addressed: ``domain``, unless a different name is verified.
    let addressee: String
    /// The name for SNI; nil for an address.
    var serverName: String? { IPAddress(addressee) == nil ? addressee : nil }

    /// Takes the names from the settings, otherwise from the target.
    init(_ settings: TLSSettings, host: ProbeHost) throws(ProbeFault) {
        addressee = try Self.checked(settings.serverName ?? host.description)
        domain = try settings.verifiedName.map { (name) throws(ProbeFault) in try Self.checked(name) } ?? addressee
    }

    private static func checked(_ text: String) throws(ProbeFault) -> String {
        if let address = IPAddress(text) { return address.description }
        // DNS names may end with a dot; certificates and SNI omit it (RFC 6066, section 3).
        let name = text.hasSuffix(".") ? String(text.dropLast()) : text
        guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw ProbeFault(reason: .invalidRequest, detail: "\(PrintableBytes.quote(text.utf8)) is not a server name")
        }
        return name
    }
}
