// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

@testable import Traffic

/// A message that Linux 6.18 sent for a destroyed TCP socket, and what a test changes in it.
struct SampleMessage {
    /// The whole message, from its `nlmsghdr`.
    var bytes: [UInt8]

    /// Where `struct tcp_info` begins in the samples.
    static let info = 100
    /// Where the attribute's header begins, whose first two bytes are its length.
    static let infoAttribute = 96

    /// Stores a value in native byte order.
    mutating func set<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        unsafe bytes.withUnsafeMutableBytes { unsafe $0.storeBytes(of: value, toByteOffset: offset, as: Value.self) }
    }

    /// The sample with a field of `tcp_info` changed.
    func with<Value: FixedWidthInteger & BitwiseCopyable>(_ field: Field<Value>, _ value: Value) -> Self {
        var copy = self
        copy.set(value, at: Self.info + field.offset)
        return copy
    }

    /// The sample with other endpoints.
    func between(_ local: TrafficEndpoint, _ remote: TrafficEndpoint, mapped: Bool = false) -> Self {
        var copy = self
        let isIPv6 = local.address.family == .ipv6 || mapped
        copy.bytes[16] = isIPv6 ? 10 : 2
        for (endpoint, port, address) in [(local, 20, 24), (remote, 22, 40)] {
            copy.set(endpoint.port.bigEndian, at: port)
            for index in 0..<16 { copy.bytes[address + index] = 0 }
            if mapped { (copy.bytes[address + 10], copy.bytes[address + 11]) = (0xff, 0xff) }
            let start = address + (mapped ? 12 : 0)
            unsafe endpoint.address.withNetworkBytes { network in
                for index in network.indices { copy.bytes[start + index] = unsafe network[index] }
            }
        }
        return copy
    }

    /// The sample with a `tcp_info` of so many bytes.
    func cut(infoTo length: Int) -> Self {
        var copy = self
        copy.bytes.removeLast(copy.bytes.count - Self.info - length)
        copy.set(UInt16(4 + length), at: Self.infoAttribute)
        copy.set(UInt32(copy.bytes.count), at: 0)
        return copy
    }

    /// Calls a body with the parsed message; nil when it is none.
    func parse<Value>(_ body: (DiagMessage) -> Value) -> Value? {
        var result: Value?
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe DiagReply.forEach(in: NetlinkBytes(bytes)) { reply, _ in
                if case .socket(let message) = reply { result = body(message) }
            }
        }
        return result
    }

    /// The classified connection.
    func connection(_ role: EndedConnection.Role = .client) -> EndedConnection? {
        parse { EndedConnection($0, role: role) } ?? nil
    }

    /// A field of `tcp_info` by its offset.
    struct Field<Value> {
        let offset: Int
    }
}

extension SampleMessage.Field where Value == UInt8 {
    static var retransmits: Self { .init(offset: 2) }
    static var probes: Self { .init(offset: 3) }
}

extension SampleMessage.Field where Value == UInt32 {
    static var totalRetransmissions: Self { .init(offset: 100) }
    static var segmentsIn: Self { .init(offset: 140) }
    static var minimumRoundTrip: Self { .init(offset: 148) }
}

extension SampleMessage.Field where Value == UInt64 {
    static var bytesAcknowledged: Self { .init(offset: 120) }
    static var bytesReceived: Self { .init(offset: 128) }
    static var bytesSent: Self { .init(offset: 200) }
    static var bytesRetransmitted: Self { .init(offset: 208) }
}

extension SampleMessage {
    private init(hexadecimal text: String) {
        let digits = text.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static let all = [client, served, refused, ipv6]

    /// A client on 127.0.0.1 that sent 100 bytes to port 8080, received 50 and closed first.
    static let client = SampleMessage(
        hexadecimal:
            "7c01000014000000000000000000000002070000b2e01f907f0000010000000000000000000000007f000001000000000000000000000000"
            + "000000002710000000000000000000000000000000000000000000000000000005000a00060000001c010200070000000007aa00802c0300"
            + "409c0000008000001802000000000000000000000000000000000000000000002c000000000000002c00000000000000ffff0000d7ff0000"
            + "4e150000702a0000ffffff7f0c000000cbff00000300000000000000d7ff0000000000000efb130707000000ffffffffffffffff66000000"
            + "0000000032000000000000000500000004000000000000000a000000010000000100000097820b0000000000e0ab00000000000000000000"
            + "0000000000000000000000000300000000000000640000000000000000000000000000000000000000000000000000000000010000000100"
            + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    )

    /// The server's side of it, an IPv6 socket with IPv4-mapped addresses.
    static let served = SampleMessage(
        hexadecimal:
            "7c0100001400000000000000000000000a0700001f90b2e000000000000000000000ffff7f00000100000000000000000000ffff7f000001"
            + "000000002810000000000000000000000000000000000000000000000000000005000a00060000001c010200070000000007aa00e01c0300"
            + "409c00000080000018020000000000000000000000000000000000000000000064000000000000006400000000000000ffff0000cbff0000"
            + "180000000d000000ffffff7f0c000000cbff00000300000000000000cbff00000000000076afb91509000000ffffffffffffffff33000000"
            + "0000000065000000000000000400000006000000000000000500000001000000010000000000d43000000000000000000000000000000000"
            + "0000000000000000000000000300000000000000320000000000000000000000000000000000000000000000000000000000010000000100"
            + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    )

    /// A non-blocking connection attempt to port 9 of 127.0.0.1, refused.
    static let refused = SampleMessage(
        hexadecimal:
            "7c01000014000000000000000000000002070000e51c00097f0000010000000000000000000000007f000001000000000000000000000000"
            + "000000002910000000000000000000000000000001000000000000000000000005000a00060000001c010200070000000000000140420f00"
            + "000000000c020000580000000000000000000000000000000000000000000000f04d260000000000f04d2600f04d2600ffff0000d7ff0000"
            + "0000000090d00300ffffff7f0a000000d7ff000003000000000000000000000000000000ffffffffffffffffffffffffffffffff00000000"
            + "000000000000000000000000010000000100000000000000ffffffff00000000000000000000000000000000000000000000000000000000"
            + "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000d7ff0000"
            + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    )

    /// A client on ::1 that connected to port 8080 and closed.
    static let ipv6 = SampleMessage(
        hexadecimal:
            "7c0100001400000000000000000000000a070000c8841f900000000000000000000000000000000100000000000000000000000000000001"
            + "000000002a10000000000000000000000000000000000000000000000000000005000a00060000001c010200070000000007aa01e01c0300"
            + "00000000008000001802000000000000000000000000000000000000000000000400000000000000040000000000000000000100c4ff0000"
            + "2201000025020000ffffff7f0b000000b8ff00000300000000000000c4ff000000000000d8e587760b000000ffffffffffffffff02000000"
            + "000000000000000000000000030000000200000000000000130000000000000000000000ea84e40000000000a00f00000000000000000000"
            + "0000000000000000000000000200000000000000000000000000000000000000000000000000000000000000000000000000010000000100"
            + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    )
}
