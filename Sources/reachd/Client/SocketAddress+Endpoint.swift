// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import NetworkPaths

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
