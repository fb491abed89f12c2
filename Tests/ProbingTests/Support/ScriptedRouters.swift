// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import TestSupport

@testable import Probing

/// Everything behind a tunnel device: a test's script answers each packet.
///
/// Unchecked because only the loop touches the descriptor.
final class ScriptedRouters: @unchecked Sendable {
    typealias Script = @Sendable (SentPacket) -> [[UInt8]]

    static let source4 = IPAddress(ipv4: 0xC000_0202)  // 192.0.2.2
    static let destination4 = IPAddress(ipv4: 0xCB00_7101)  // 203.0.113.1
    static let destination6 = IPAddress(ipv6High: 0x2001_0DB8_0009_0000, low: 1)

    private let loop: EventLoop
    private let descriptor: OwnedDescriptor
    private var watch: WatchToken?

    private init(_ namespace: NetworkNamespace, _ script: @escaping Script) throws {
        descriptor = try namespace.attach("tun0")
        loop = try EventLoop(name: "routers", prologue: namespace.prologue)
        _ = loop.executeAndWait { [self] in
            watch = try? loop.watch(descriptor.number, for: .readable) { [unowned self] _ in
                var buffer = [UInt8](repeating: 0, count: 2_000)
                while true {
                    let count = unsafe read(descriptor.number, &buffer, buffer.count)
                    guard count > 0 else { return }
                    guard let packet = SentPacket(Array(buffer.prefix(count))) else { continue }
                    for answer in script(packet) { _ = unsafe write(descriptor.number, answer, answer.count) }
                }
            }
        }
    }

    func close() {
        _ = loop.executeAndWait { [self] in
            if let watch { loop.unwatch(watch) }
        }
        loop.close()
    }

    static func destination(_ family: AddressFamily) -> IPAddress { family == .ipv4 ? destination4 : destination6 }

    /// The address of the router at a distance.
    static func router(_ family: AddressFamily, _ hop: Int) -> IPAddress {
        family == .ipv4
            ? IPAddress(ipv4: 0xC633_6400 + UInt32(hop)) : IPAddress(ipv6High: 0x2001_0DB8_0000_0000, low: UInt64(hop))
    }

    /// Makes a network behind a tunnel, and a tracer.
    static func with(
        datagramICMP: Bool = false,
        _ script: @escaping Script,
        _ body: (TraceBench) async throws -> Void
    ) async throws {
        try await Testbed.with { testbed in
            try testbed.i("link set lo up;tuntap add dev tun0 mode tun")
            if datagramICMP { try testbed.namespace.sysctl("net.ipv4.ping_group_range", "0 0") }
            let routers = try ScriptedRouters(testbed.namespace, script)
            defer { routers.close() }
            try testbed.i("addr add 192.0.2.2/24 dev tun0;addr add 2001:db8:1::2/64 dev tun0 nodad;link set tun0 up")
            try testbed.i("route add default dev tun0;-6 route add default dev tun0")
            let bench = try TraceBench(prologue: testbed.namespace.prologue)
            defer { bench.close() }
            try await body(bench)
        }
    }
}

/// A packet that was sent into the tunnel.
struct SentPacket: Sendable {
    let bytes: [UInt8]
    let family: AddressFamily
    let hop: Int
    /// The protocol's number.
    let kind: UInt8

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 28 else { return nil }
        self.bytes = bytes
        family = bytes[0] >> 4 == 4 ? .ipv4 : .ipv6
        hop = Int(bytes[family == .ipv4 ? 8 : 7])
        kind = bytes[family == .ipv4 ? 9 : 6]
        guard family == .ipv4 || bytes.count >= 48 && bytes[24] != 0xFF else { return nil }
    }

    var header: Int { family == .ipv4 ? 20 : 40 }
    private var isIPv4: Bool { family == .ipv4 }
    /// The fields by which routers balance load: ports, or type, code, checksum and identifier.
    var flow: [UInt8] {
        let label = isIPv4 ? [] : Array(bytes[0..<4])
        return label + bytes[header..<(header + (kind == 1 || kind == 58 ? 6 : 4))]
    }

    /// Returns an ICMP error about the packet.
    ///
    /// - Parameters:
    ///   - quoting: The number of bytes behind the IP header that are quoted; nil for all.
    ///   - extensions: Objects of RFC 4884; the quote is padded to 128 bytes then.
    ///   - change: Changes the quoted packet.
    func error(
        _ type: UInt8,
        _ code: UInt8,
        from router: IPAddress,
        quoting: Int? = nil,
        extensions: [UInt8] = [],
        statesLength: Bool = true,
        _ change: (inout [UInt8]) -> Void = { _ in }
    ) -> [UInt8] {
        var quote = Array(bytes.prefix(quoting.map { header + $0 } ?? bytes.count))
        change(&quote)
        var message: [UInt8] = [type, code, 0, 0, 0, 0, 0, 0]
        if !extensions.isEmpty {
            quote += [UInt8](repeating: 0, count: 128 - quote.count)
            if statesLength { message[isIPv4 ? 5 : 4] = isIPv4 ? 32 : 16 }
            quote += extensions
        }
        return packet(message + quote, kind: isIPv4 ? 1 : 58, from: router)
    }

    /// Returns a datagram with other data to the sender of this one.
    func reply(_ data: [UInt8], from address: IPAddress) -> [UInt8] {
        var datagram = Array(bytes[(header + 2)..<(header + 4)]) + bytes[header..<(header + 2)]
        datagram += [0, UInt8(8 + data.count), 0, 0] + data
        return packet(datagram, kind: 17, from: address)
    }

    /// Returns an echo reply to the request.
    func echoReply(from address: IPAddress) -> [UInt8] {
        var message = Array(bytes[header...])
        message[0] = isIPv4 ? 0 : 129
        message[2] = 0
        message[3] = 0
        return packet(message, kind: isIPv4 ? 1 : 58, from: address)
    }

    /// Builds a packet to the sender, with its checksums.
    private func packet(_ payload: [UInt8], kind: UInt8, from address: IPAddress) -> [UInt8] {
        let source = unsafe address.withNetworkBytes { unsafe Array($0) }
        let target = Array(isIPv4 ? bytes[12..<16] : bytes[8..<24])
        var payload = payload
        let length = [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        let at = kind == 17 ? 6 : 2
        let hasPseudoHeader = kind == 17 || kind == 58
        let pseudo = hasPseudoHeader ? source + target + [0, 0] + length + [0, 0, 0, kind] : []
        let sum = ICMPMessage.checksum(pseudo + payload)
        payload[at] = UInt8(sum >> 8)
        payload[at + 1] = UInt8(sum & 0xFF)
        guard isIPv4 else { return [0x60, 0, 0, 0] + length + [kind, 64] + source + target + payload }
        let total = 20 + payload.count
        var head: [UInt8] = [0x45, 0, UInt8(total >> 8), UInt8(total & 0xFF), 0, 0, 0, 0, 64, kind, 0, 0]
        head += source + target
        let check = ICMPMessage.checksum(head)
        head[10] = UInt8(check >> 8)
        head[11] = UInt8(check & 0xFF)
        return head + payload
    }
}
