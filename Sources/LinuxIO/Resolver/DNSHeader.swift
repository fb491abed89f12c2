// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The first 12 bytes of a DNS message, RFC 1035, section 4.1.1, as far as they matter here.
struct DNSHeader {
    static let size = 12
    static let noError: UInt8 = 0

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
        case 3: .noSuchName
        case 5: .refused
        default: .serverFailure
        }
    }
}

/// Numbers of RFC 1035, section 3.2, and RFC 3596.
enum DNSType {
    static let internet: Int32 = 1
    static let a: Int32 = 1
    static let aaaa: Int32 = 28
}
