// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The one question of a DNS query, and the replies to it (RFC 1035, section 4).
struct NameQuestion {
    /// The name in lower case without a final dot.
    let name: String
    /// Whether it asks for AAAA; otherwise it asks for A, or for something that has no answer here.
    let isIPv6: Bool
    /// Whether it asks for SRV.
    let isService: Bool
    private let isAddress: Bool
    private let header: [UInt8]
    private let section: [UInt8]

    init?(_ query: [UInt8]) {
        guard query.count > 16 else { return nil }
        var labels: [String] = []
        var position = 12
        while position < query.count, query[position] != 0 {
            let end = position + 1 + Int(query[position])
            guard query[position] < 64, end < query.count else { return nil }
            labels.append(String(decoding: query[position + 1..<end], as: UTF8.self))
            position = end
        }
        guard position + 5 <= query.count else { return nil }
        let type = UInt16(query[position + 1]) << 8 | UInt16(query[position + 2])
        name = labels.joined(separator: ".").lowercased()
        isIPv6 = type == 28
        isService = type == 33
        isAddress = isIPv6 || type == 1
        header = Array(query[..<2])
        section = Array(query[12..<position + 5])
    }

    /// Servers of a service, all with the priority 1 and the weight 0.
    func reply(services: [(port: UInt16, target: String)], ttl: UInt32) -> [UInt8] {
        let services = isService ? services : []
        var reply = header + [0x81, 0x80, 0, 1, 0, UInt8(services.count), 0, 0, 0, 0] + section
        for service in services {
            var name: [UInt8] = []
            for label in service.target.split(separator: ".") {
                name.append(UInt8(label.utf8.count))
                name += Array(label.utf8)
            }
            name.append(0)
            reply += [0xc0, 12, 0, 33, 0, 1]
            reply += stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: ttl >> UInt32($0)) }
            reply += [0, UInt8(name.count + 6), 0, 1, 0, 0]
            reply += [UInt8(service.port >> 8), UInt8(service.port & 255)]
            reply += name
        }
        return reply
    }

    func reply(code: UInt8, addresses: [[UInt8]], ttl: UInt32) -> [UInt8] {
        let addresses = isAddress ? addresses : []
        // A response, recursion desired and available; one question, the answers, nothing else.
        var reply = header + [0x81, 0x80 | code, 0, 1, 0, UInt8(addresses.count), 0, 0, 0, 0] + section
        for address in addresses {
            // The name is a pointer to the question's.
            reply += [0xc0, 12, 0, isIPv6 ? 28 : 1, 0, 1]
            reply += stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: ttl >> UInt32($0)) }
            reply += [0, UInt8(address.count)] + address
        }
        return reply
    }
}
