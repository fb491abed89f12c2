// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// What the runs that speak TLS share. On the loop's thread.
final class TLSService {
    private let contexts = TLSContextCache()
    private let wallClock: @Sendable () -> Int64

    /// - Parameter wallClock: The time in seconds since 1970.
    init(wallClock: @escaping @Sendable () -> Int64) {
        self.wallClock = wallClock
    }

    /// The verification for one handshake.
    ///
    /// - Throws: ``ProbeFault`` when a file cannot be used or the settings cannot be.
    func check(_ settings: TLSSettings, host: ProbeHost) throws(ProbeFault) -> TLSCheck {
        let name = try TLSPeerName(settings, host: host)
        let context = try contexts.context(for: settings)
        let trust = try contexts.evaluator(for: settings)
        return TLSCheck(context, trust, for: name, at: wallClock())
    }
}

/// Whom a server is told that it is (SNI), and whom its certificate must be for.
struct TLSPeerName: Hashable {
    /// Whom the certificate must be for: a name or an address.
    let domain: String
    /// Whom the server is to be: as ``domain``, unless another name is verified.
    let addressee: String
    /// What the server is told (SNI): names only.
    var serverName: String? { IPAddress(addressee) == nil ? addressee : nil }

    /// The names that the settings ask for, otherwise the target's.
    init(_ settings: TLSSettings, host: ProbeHost) throws(ProbeFault) {
        addressee = try Self.checked(settings.serverName ?? host.description)
        domain = try settings.verifiedName.map { (name) throws(ProbeFault) in try Self.checked(name) } ?? addressee
    }

    private static func checked(_ text: String) throws(ProbeFault) -> String {
        if let address = IPAddress(text) { return address.description }
        // The dot at the end belongs to DNS; certificates and SNI are without (RFC 6066, section 3).
        let name = text.hasSuffix(".") ? String(text.dropLast()) : text
        guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw ProbeFault(reason: .invalidRequest, detail: "\(PrintableBytes.quote(text.utf8)) is no server's name")
        }
        return name
    }
}
