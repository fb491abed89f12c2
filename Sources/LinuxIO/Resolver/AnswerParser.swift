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

/// The first 12 bytes of a DNS message, RFC 1035, section 4.1.1, as far as they matter here.
struct DNSHeader {
    static let size = 12
    static let noError: UInt8 = 0
    static let noSuchName: UInt8 = 3

    let id: UInt16
    let isAnswer: Bool
    /// RCODE.
    let code: UInt8

    /// - Parameter bytes: At least ``size`` of them.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        id = unsafe UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        isAnswer = unsafe bytes[2] & 0x80 != 0
        code = unsafe bytes[3] & 0x0F
    }

    /// What an error code says about a name.
    static func outcome(of code: UInt8) -> ResolverAnswer.Outcome {
        switch code {
        case noSuchName: .noSuchName
        case 5: .refused
        default: .serverFailure
        }
    }
}

/// Numbers of RFC 1035, section 3.2, RFC 3596 and RFC 2782.
enum DNSType {
    static let internet: Int32 = 1
    static let a: Int32 = 1
    static let aaaa: Int32 = 28
    static let srv: Int32 = 33

    /// The types of records with addresses of a family, or of both.
    static func addresses(of family: AddressFamily?) -> [Int32] {
        switch family {
        case .ipv4: [a]
        case .ipv6: [aaaa]
        case nil: [a, aaaa]
        }
    }
}

/// c-ares's result codes as numbers, which is how its functions return them.
enum AresStatus {
    static let success = Int32(reachd_ares_success.rawValue)
    static let noData = Int32(reachd_ares_no_data.rawValue)
    static let badFormat = Int32(reachd_ares_bad_format.rawValue)
    static let serverFailure = Int32(reachd_ares_server_failure.rawValue)
    static let notFound = Int32(reachd_ares_not_found.rawValue)
    static let notImplemented = Int32(reachd_ares_not_implemented.rawValue)
    static let refused = Int32(reachd_ares_refused.rawValue)
    static let badName = Int32(reachd_ares_bad_name.rawValue)
    static let badAnswer = Int32(reachd_ares_bad_answer.rawValue)
    static let connectionRefused = Int32(reachd_ares_connection_refused.rawValue)
    static let timedOut = Int32(reachd_ares_timed_out.rawValue)
    static let noMemory = Int32(reachd_ares_no_memory.rawValue)
    static let destroyed = Int32(reachd_ares_destroyed.rawValue)
    static let cancelled = Int32(reachd_ares_cancelled.rawValue)
}
