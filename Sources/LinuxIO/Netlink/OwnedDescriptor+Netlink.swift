// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// What all netlink sockets do.
extension OwnedDescriptor {
    /// Sends a request to the kernel (netlink(7)).
    ///
    /// - Throws: ``SystemError`` from `sendto(2)`.
    package func sendToKernel(_ request: [UInt8]) throws(SystemError) {
        var kernel = sockaddr_nl()
        kernel.nl_family = sa_family_t(AF_NETLINK)
        try systemCall("sendto(netlink)") {
            unsafe request.withUnsafeBytes { bytes in
                unsafe withUnsafePointer(to: &kernel) { address in
                    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                        unsafe sendto(
                            number,
                            bytes.baseAddress,
                            bytes.count,
                            0,
                            address,
                            socklen_t(MemoryLayout<sockaddr_nl>.size)
                        )
                    }
                }
            }
        }
    }

    /// Requests a receive buffer, by privilege if there is any.
    ///
    /// - Returns: The granted size in bytes.
    @discardableResult
    package func requestReceiveBuffer(_ bytes: Int32) -> Int {
        var wanted = bytes
        if unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, 4) != 0 {
            _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &wanted, 4)
        }
        var granted: Int32 = 0
        var length = socklen_t(4)
        _ = unsafe getsockopt(number, SOL_SOCKET, SO_RCVBUF, &granted, &length)
        return Int(granted)
    }
}
