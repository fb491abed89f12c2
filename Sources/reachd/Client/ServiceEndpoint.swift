// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import NetworkPaths

/// Where a running service is found from its own machine.
enum ServiceEndpoint: CustomStringConvertible {
    case tcp(IPAddress, port: UInt16)
    case unix(path: String)

    /// Where a service that listens on an address can be reached from the same machine; nil for a host that is no
    /// address.
    init?(_ address: ListenAddress) {
        switch address {
        case .tcp(host: "*", let port): self = .tcp(Self.loopback, port: port)
        case .tcp(let host, let port):
            guard let address = IPAddress(host) else { return nil }
            let loopback = address.family == .ipv4 ? Self.loopback : IPAddress(ipv6High: 0, low: 1)
            self = .tcp(address.isUnspecified ? loopback : address, port: port)
        case .unix(let path, _): self = .unix(path: path)
        }
    }

    private static let loopback = IPAddress(ipv4: 0x7f00_0001)

    var description: String {
        switch self {
        case .tcp(let address, let port): ListenAddress.tcp(host: "\(address)", port: port).description
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension SocketAddress {
    /// Calls a body with the address of an endpoint, valid during the call.
    static func with<Result>(
        _ endpoint: ServiceEndpoint,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        switch endpoint {
        case .unix(let path):
            return unsafe withUnix(path: Array(path.utf8), body)
        case .tcp(let address, let port):
            return unsafe SocketAddress(address, port: port).withPointer(body)
        }
    }

    /// Calls a body with the address of a unix socket; the bytes begin with a zero for an abstract one. At most 107
    /// bytes count.
    static func withUnix<Result>(
        path: [UInt8],
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = path.prefix(107)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // An abstract name has no end but its length.
        let length = MemoryLayout<sa_family_t>.size + bytes.count + (bytes.first == 0 ? 0 : 1)
        return unsafe call(&address, length, body)
    }

    private static func call<Address, Result>(
        _ address: inout Address,
        _ length: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
        }
    }
}
