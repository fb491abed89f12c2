// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
internal import CAres

/// The addresses in a DNS message, by c-ares's parser. Any bytes may come in.
enum AnswerParser {
    /// Finds the addresses of one family, at most so many.
    static func parse(_ answer: UnsafeBufferPointer<UInt8>, isIPv6: Bool, limit: Int) -> QuestionReply {
        guard let start = answer.baseAddress, answer.count >= DNSHeader.size else { return .failure(.serverFailure) }
        let code = unsafe DNSHeader(answer).code
        guard code == DNSHeader.noError else { return .failure(DNSHeader.outcome(of: code)) }
        let size = isIPv6 ? 16 : 4
        // A record takes 12 bytes and its address: a short answer needs no room for a long one.
        var count = max(1, min(limit, answer.count / (12 + size)))
        var found = [reachd_ares_address](repeating: reachd_ares_address(), count: count)
        let status = unsafe reachd_ares_parse(start, answer.count, isIPv6 ? 1 : 0, &found, &count)
        switch status {
        case AresStatus.success, AresStatus.noData: break
        // It matches the question and makes no sense: the server is to blame, and may do better later.
        case AresStatus.badAnswer, AresStatus.badName: return .failure(.serverFailure)
        default: return .failure(.failed(code: status))
        }
        let addresses = found.prefix(count).compactMap { answer in
            let address = unsafe withUnsafeBytes(of: answer.bytes) { bytes in
                unsafe IPAddress(networkBytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(size)))
            }
            return address.map { address in
                // RFC 2181, section 8: a time with the highest bit set is zero. c-ares has it negative, 1.34 as the largest number.
                let isTooLarge = answer.time_to_live == .max
                return ResolvedAddress(address, timeToLive: isTooLarge ? 0 : UInt32(max(0, answer.time_to_live)))
            }
        }
        return addresses.isEmpty ? .failure(.noData) : .addresses(addresses)
    }
}
