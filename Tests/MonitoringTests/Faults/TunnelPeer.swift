// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// Whoever is behind a tun device: answers echo requests, late or not at all, as a network does that the test cannot have.
final class TunnelPeer: Sendable {
    private let loop: EventLoop

    /// - Parameters:
    ///   - delay: after how long each is answered, in nanoseconds.
    ///   - isLost: whether the request of a number, from 0 on, is lost. Those of each ICMP identifier are counted by themselves: a trace
    ///     among the requests of a probe does not change which of these are lost.
    init(
        _ device: String,
        in namespace: NetworkNamespace,
        delay: UInt64 = 0,
        isLost: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) throws {
        let descriptor = try namespace.attach(device)
        let loop = try EventLoop(name: "tunnel-peer")
        self.loop = loop
        _ = loop.executeAndWait {
            var counts: [[UInt8]: Int] = [:]
            _ = try? loop.watch(descriptor.number, for: .readable) { _ in
                guard var packet = Self.read(descriptor), Self.turnRound(&packet) else { return }
                let identifier = Array(packet[24..<26])
                let number = counts[identifier, default: 0]
                counts[identifier] = number + 1
                guard !isLost(number) else { return }
                let answer = packet
                _ = loop.schedule(after: delay) { Self.write(answer, to: descriptor) }
            }
        }
    }

    deinit {
        loop.close()
    }

    private static func read(_ descriptor: OwnedDescriptor) -> [UInt8]? {
        var packet = [UInt8](repeating: 0, count: 2048)
        let count = unsafe Glibc.read(descriptor.number, &packet, packet.count)
        return count > 0 ? Array(packet[..<count]) : nil
    }

    private static func write(_ packet: [UInt8], to descriptor: OwnedDescriptor) {
        // One packet a call; one that the kernel has no room for is lost, as packets are.
        _ = unsafe Glibc.write(descriptor.number, packet, packet.count)
    }

    /// Makes an echo request the reply to it; false for anything else.
    private static func turnRound(_ packet: inout [UInt8]) -> Bool {
        // IPv4 without options, ICMP, type 8.
        guard packet.count >= 28, packet[0] == 0x45, packet[9] == 1, packet[20] == 8 else { return false }
        for index in 0..<4 { packet.swapAt(12 + index, 16 + index) }
        packet[20] = 0
        // The checksum of a message whose first word became smaller by 0x0800 (RFC 1624).
        var sum = UInt32(packet[22]) << 8 | UInt32(packet[23])
        sum += 0x0800
        sum = (sum & 0xffff) + (sum >> 16)
        packet[22] = UInt8(sum >> 8 & 0xff)
        packet[23] = UInt8(sum & 0xff)
        return true
    }
}
