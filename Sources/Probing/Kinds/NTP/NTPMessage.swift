// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An NTP timestamp: seconds since 1900 and their fraction in units of 2^-32, both modulo 2^32 (RFC 5905, section 6).
struct NTPTime: Hashable, Sendable {
    /// The seconds between 1900 and 1970.
    private static let offset: UInt64 = 2_208_988_800

    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// Creates a timestamp from nanoseconds since 1970.
    init(nanoseconds: UInt64) {
        let seconds = nanoseconds / 1_000_000_000 &+ Self.offset
        let parts = (nanoseconds % 1_000_000_000) << 32 / 1_000_000_000
        bits = seconds << 32 | parts
    }

    /// Returns the time since another timestamp, assuming less than 68 years either way, so that it works beyond 2036.
    func since(_ other: NTPTime) -> Duration {
        let difference = Int64(bitPattern: bits &- other.bits)
        let seconds = difference >> 32
        let parts = difference & 0xFFFF_FFFF
        return .nanoseconds(seconds * 1_000_000_000 + ((parts * 1_000_000_000 + 0x8000_0000) >> 32))
    }
}

/// A server's reply to a client (RFC 5905, section 7.3).
struct NTPMessage: Sendable {
    /// The size of a message without extensions; only this is sent and read.
    static let size = 48

    /// The result of reading a datagram.
    enum Reading {
        /// A reply to the request.
        case reply(NTPMessage)
        /// A reply to another request, or not a reply: anybody can send one.
        case forAnother
        /// The server's reply, but unusable.
        case malformed(String)
    }

    let leap: NTPAnswer.Leap
    let version: Int
    let stratum: Int
    /// An address, four letters, or a hash, depending on the stratum.
    let reference: [UInt8]
    let rootDelay: Duration
    let rootDispersion: Duration
    let receiveTime: NTPTime
    let transmitTime: NTPTime

    /// Encodes a client's request, version 4.
    ///
    /// - Parameter nonce: Replaces the client's timestamp; the server returns it but learns nothing from it.
    static func request(nonce: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        bytes[0] = 4 << 3 | 3
        for index in 0..<8 { bytes[40 + index] = UInt8(truncatingIfNeeded: nonce >> (56 - 8 * index)) }
        return bytes
    }

    /// Reads a datagram.
    ///
    /// - Parameter nonces: The nonces of the requests; the returned index is that of the matching request.
    static func read(_ bytes: [UInt8], nonces: [UInt64]) -> (reading: Reading, index: Int) {
        guard bytes.count >= size, let index = nonces.firstIndex(of: number(bytes, at: 24, count: 8)) else {
            return (.forAnother, 0)
        }
        guard bytes[0] & 7 == 4 else { return (.malformed("the mode is \(bytes[0] & 7), not 4 (server)"), index) }
        let version = Int(bytes[0] >> 3 & 7)
        guard (1...4).contains(version) else { return (.malformed("the version is \(version)"), index) }
        return (.reply(NTPMessage(bytes, version: version)), index)
    }

    private init(_ bytes: [UInt8], version: Int) {
        leap = NTPAnswer.Leap(bytes[0] >> 6)
        self.version = version
        stratum = Int(bytes[1])
        reference = Array(bytes[12..<16])
        rootDelay = Self.short(bytes, at: 4)
        rootDispersion = Self.short(bytes, at: 8)
        receiveTime = NTPTime(bits: Self.number(bytes, at: 32, count: 8))
        transmitTime = NTPTime(bits: Self.number(bytes, at: 40, count: 8))
    }

    /// The kiss code, which a server sends instead of the time (RFC 5905, section 7.4); nil for a normal reply.
    var kissCode: String? { stratum == 0 && !source.isEmpty ? source : nil }

    /// The server's time source: a kind of clock such as `GPS`, or the IPv4 address of a server. For an IPv6 address
    /// only a hash is sent, which has no defined text form.
    var source: String {
        guard stratum < 2 else { return reference.map { "\($0)" }.joined(separator: ".") }
        let letters = reference.prefix { (0x21...0x7e).contains($0) }
        return String(decoding: letters, as: UTF8.self)
    }

    private static func number(_ bytes: [UInt8], at start: Int, count: Int) -> UInt64 {
        bytes[start..<(start + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads the short format: seconds in units of 1/65,536.
    private static func short(_ bytes: [UInt8], at start: Int) -> Duration {
        .nanoseconds((Int64(number(bytes, at: start, count: 4)) * 1_000_000_000) >> 16)
    }
}
