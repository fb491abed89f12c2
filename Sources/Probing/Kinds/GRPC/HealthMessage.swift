// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The messages of `grpc.health.v1.Health/Check`, framed by a compression flag and a four-byte length.
enum HealthMessage {
    /// The error for a malformed reply.
    struct Malformed: Error {}

    /// Returns a request about a service.
    static func request(service: String) -> [UInt8] {
        let name = Array(service.utf8)
        // Field 1, length-delimited; the default value is omitted.
        let message = name.isEmpty ? [] : [0x0A] + varint(UInt64(name.count)) + name
        let count = UInt32(message.count)
        return [0, UInt8(count >> 24), UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            + message
    }

    /// Returns the status in a reply: one uncompressed message; unknown fields are skipped.
    static func status(in bytes: [UInt8]) throws(Malformed) -> HealthStatus {
        guard bytes.count >= 5, bytes[0] == 0 else { throw Malformed() }
        let count = bytes[1..<5].reduce(0) { $0 << 8 | Int($1) }
        guard count == bytes.count - 5 else { throw Malformed() }
        var rest = bytes[5...]
        var value: UInt64 = 0
        while !rest.isEmpty {
            let key = try varint(&rest)
            switch key & 7 {
            case 0:
                let number = try varint(&rest)
                if key >> 3 == 1 { value = number }
            case 1: try skip(8, &rest)
            case 2:
                let length = try varint(&rest)
                guard length <= UInt64(rest.count) else { throw Malformed() }
                try skip(Int(length), &rest)
            case 5: try skip(4, &rest)
            default: throw Malformed()
            }
        }
        // Values added to the enumeration later count as unknown.
        return HealthStatus(rawValue: Int(truncatingIfNeeded: value)) ?? .unknown
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var value = value
        var bytes: [UInt8] = []
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        return bytes + [UInt8(value)]
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    private static func skip(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws(Malformed) {
        guard count <= rest.count else { throw Malformed() }
        rest = rest.dropFirst(count)
    }
}

/// A service's status, `grpc.health.v1.HealthCheckResponse.ServingStatus`.
package enum HealthStatus: Int, Sendable, Hashable, CaseIterable {
    /// The status is unknown.
    case unknown = 0
    /// The service is serving.
    case serving = 1
    /// The service is not serving.
    case notServing = 2
    /// The service does not exist.
    case serviceUnknown = 3
}
