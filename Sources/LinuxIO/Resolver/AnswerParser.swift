// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CAres

/// The addresses in a DNS message, by c-ares's parser. Any bytes may come in.
enum AnswerParser {
    static func parse(_ answer: UnsafeBufferPointer<UInt8>, isIPv6: Bool, limit: Int) -> QuestionReply {
        guard answer.count >= DNSHeader.size else { return .failure(.serverFailure) }
        let code = unsafe DNSHeader(answer).code
        guard code == DNSHeader.noError else { return .failure(DNSHeader.outcome(of: code)) }
        var (status, addresses) =
            isIPv6
            ? unsafe parseIPv6(answer, limit: limit)
            : unsafe parseIPv4(answer, limit: limit)
        if status == ARES_ENODATA { status = ARES_SUCCESS }
        // A message that matches the question and makes no sense: the server is to blame, and may do better later.
        guard status == ARES_SUCCESS else {
            return .failure(status == ARES_EBADRESP || status == ARES_EBADNAME ? .serverFailure : .failed(code: status))
        }
        return addresses.isEmpty ? .failure(.noData) : .addresses(addresses)
    }

    private static func parseIPv4(
        _ answer: UnsafeBufferPointer<UInt8>,
        limit: Int
    ) -> (status: Int32, addresses: [ResolvedAddress]) {
        var found = [ares_addrttl](repeating: ares_addrttl(), count: max(1, limit))
        var count = Int32(found.count)
        let status = unsafe ares_parse_a_reply(answer.baseAddress, Int32(clamping: answer.count), nil, &found, &count)
        let addresses = found.prefix(Int(max(0, count))).map { record in
            ResolvedAddress(
                bytes: unsafe withUnsafeBytes(of: record.ipaddr) { unsafe Array($0) },
                timeToLive: timeToLive(record.ttl)
            )
        }
        return (status, addresses)
    }

    private static func parseIPv6(
        _ answer: UnsafeBufferPointer<UInt8>,
        limit: Int
    ) -> (status: Int32, addresses: [ResolvedAddress]) {
        var found = [ares_addr6ttl](repeating: ares_addr6ttl(), count: max(1, limit))
        var count = Int32(found.count)
        let status = unsafe ares_parse_aaaa_reply(
            answer.baseAddress,
            Int32(clamping: answer.count),
            nil,
            &found,
            &count
        )
        let addresses = found.prefix(Int(max(0, count))).map { record in
            ResolvedAddress(
                bytes: unsafe withUnsafeBytes(of: record.ip6addr) { unsafe Array($0) },
                timeToLive: timeToLive(record.ttl)
            )
        }
        return (status, addresses)
    }

    /// RFC 2181, section 8: a time with the highest bit set is zero.
    private static func timeToLive(_ seconds: Int32) -> UInt32 {
        UInt32(max(0, seconds))
    }
}
