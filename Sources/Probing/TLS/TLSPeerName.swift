// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// Whom a server's certificate must be for.
enum TLSPeerName: Hashable {
    case host(String)
    case address(IPAddress)

    /// The name that the settings ask for, otherwise the target's.
    init(_ settings: TLSSettings, host: ProbeHost) throws(ProbeFault) {
        let text: String
        switch (settings.serverName, host) {
        case (let name?, _): text = name
        case (nil, .name(let name)): text = name
        case (nil, .address(let address)):
            self = .address(address)
            return
        }
        if let address = IPAddress(text) {
            self = .address(address)
            return
        }
        // The dot at the end belongs to DNS; certificates and SNI are without (RFC 6066, section 3).
        let name = text.hasSuffix(".") ? String(text.dropLast()) : text
        guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw ProbeFault(reason: .invalidRequest, detail: "\(PrintableBytes.quote(text.utf8)) is no server's name")
        }
        self = .host(name)
    }

    /// What the server is told (SNI): names only.
    var serverName: String? {
        if case .host(let name) = self { name } else { nil }
    }
}

extension TLSPeerName: CustomStringConvertible {
    var description: String {
        switch self {
        case .host(let name): name
        case .address(let address): address.description
        }
    }
}
