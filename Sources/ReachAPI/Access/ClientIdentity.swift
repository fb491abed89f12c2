// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths

/// Whose limits a request counts against: its token's, else its address's.
enum ClientIdentity: Sendable, Hashable {
    /// A token that is known, by its digest.
    case token([UInt8])
    /// Clients of unix sockets; their number is the file's permissions' to bound.
    case unixSocket
    /// An IPv4 address, or the first 64 bits of an IPv6 address: one customer of a provider has that many addresses.
    case address(IPAddress)
    /// A peer whose address cannot be read.
    case unknown

    /// The identity of a request that shows no known token.
    init(_ request: HTTPRequest) {
        if request.isFromUnixSocket {
            self = .unixSocket
        } else if let address = request.peerAddress {
            // All neighbours on a link share fe80::/64.
            let isWhole = address.family == .ipv4 || address.isLoopback || address.high >> 54 == 0xfe80 >> 6
            self = .address(isWhole ? address : IPAddress(ipv6High: address.high, low: 0))
        } else {
            self = .unknown
        }
    }
}

extension HTTPRequest {
    /// The client's address without port and scope; nil for a unix socket.
    var peerAddress: IPAddress? {
        let peer = peer
        let host =
            peer.hasPrefix("[")
            ? peer.dropFirst().prefix { $0 != "]" && $0 != "%" }
            : peer.prefix { $0 != ":" }
        return IPAddress(String(host))
    }
}
