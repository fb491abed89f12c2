// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Probing
import Synchronization

/// The names of a trace's hops, from the system's resolver (getnameinfo(3)), which reads `/etc/hosts` first.
final class HopNames: Sendable {
    /// How many addresses are looked up at most.
    private static let limit = 64
    /// How many lookups run at once; each blocks a thread.
    private static let width = 16

    private let names = Mutex<[IPAddress: String]>([:])
    private let queue: Mutex<[IPAddress]>
    private let ended = Semaphore()

    private init(_ addresses: [IPAddress]) {
        queue = Mutex(addresses)
    }

    /// Looks up the names of a trace's hops.
    ///
    /// - Parameter limit: After how long the names that are still missing are given up.
    /// - Returns: The names that were found; an address without one is missing.
    static func look(up trace: TraceResult, within limit: Duration = .seconds(1)) -> [IPAddress: String] {
        var addresses: [IPAddress] = []
        for address in trace.hops.flatMap(\.addresses)
        where !addresses.contains(address) && addresses.count < Self.limit {
            addresses.append(address)
        }
        let names = HopNames(addresses)
        var count = 0
        for _ in 0..<min(width, addresses.count) {
            // Without a thread there are fewer names.
            guard let thread = try? Thread(name: "reachd-name", body: { names.work() }) else { break }
            thread.detach()
            count += 1
        }
        let deadline = Deadline(after: limit)
        while count > 0, names.ended.wait(within: deadline.left) { count -= 1 }
        return names.names.withLock { $0 }
    }

    private func work() {
        while let address = queue.withLock({ $0.popLast() }) {
            guard let name = Self.name(of: address) else { continue }
            names.withLock { $0[address] = name }
        }
        ended.post()
    }

    private static func name(of address: IPAddress) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = unsafe SocketAddress(address, port: 0).withPointer { pointer, length in
            unsafe getnameinfo(pointer, length, &bytes, socklen_t(bytes.count), nil, 0, NI_NAMEREQD)
        }
        guard code == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
