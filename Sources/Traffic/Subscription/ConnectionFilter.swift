// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
internal import CLinux

/// A classic BPF program for the subscription's socket: it passes messages of connections with a watched endpoint on either side, and
/// one in ``sampling`` of the others, by which their rate is measured.
///
/// The program computes a 31-bit key of each side (address and port) and searches for it in a binary tree, so that 512 endpoints cost
/// about thirty instructions a side. An endpoint that is not watched has a watched key once in 2³¹ ÷ 512; the receiver looks up every
/// message again.
///
/// The program never shortens a message, which would keep the addresses of the sampled ones out of user space: the first listener of a
/// multicast group gets the original message and not a copy, so that every other program's listener would receive the short one
/// (seen on Linux 6.18).
enum ConnectionFilter {
    /// How many endpoints a filter has at most: 512 are about 1,500 instructions of the kernel's 4,096 (`BPF_MAXINSNS`), and their
    /// translation fits into the 20 KiB that older kernels grant a socket (`net.core.optmem_max`).
    static let maximumEndpoints = 512
    /// One in so many messages of other connections passes; a power of two.
    static let sampling: UInt32 = 64

    /// Generates the program.
    ///
    /// - Parameters:
    ///   - endpoints: The watched endpoints.
    ///   - sampling: One in so many other messages passes; a power of two.
    /// - Returns: nil when there are too many endpoints.
    static func program(
        _ endpoints: some Collection<TrafficEndpoint>,
        sampling: UInt32 = Self.sampling
    ) -> [PacketFilterProgram.Instruction]? {
        guard endpoints.count <= maximumEndpoints else { return nil }
        let keys = Set(endpoints.map(key)).sorted()
        var program = PacketFilterProgram()
        for (port, address) in [
            (DiagMessage.Offset.remotePort, DiagMessage.Offset.remoteAddress),
            (DiagMessage.Offset.localPort, DiagMessage.Offset.localAddress),
        ] {
            let miss = program.label()
            loadKey(port: port, address: address, in: &program)
            search(keys[...], miss: miss, in: &program)
            program.bind(miss)
        }
        let isSkipped = program.label()
        program.load(BPF_W, at: Int(SKF_AD_OFF + SKF_AD_RANDOM))
        program.branch(BPF_JSET, sampling - 1, to: isSkipped)
        program.finish(passing: true)
        program.bind(isSkipped)
        program.finish(passing: false)
        return program.instructions
    }

    // MARK: Keys

    private static let portFactor: UInt32 = 0x9e37_79b1
    private static let wordFactor: UInt32 = 0x85eb_ca6b

    /// What the program computes of an endpoint; below 2³¹, because a larger constant costs the kernel two instructions.
    static func key(_ endpoint: TrafficEndpoint) -> UInt32 {
        let (high, low) = (endpoint.address.high, endpoint.address.low)
        let words =
            endpoint.address.family == .ipv4
            ? [high >> 32] : [high >> 32, high & 0xffff_ffff, low >> 32, low & 0xffff_ffff]
        let key = words.reduce(UInt32(endpoint.port) &* portFactor) { key, word in
            (key ^ UInt32(word)) &* wordFactor
        }
        return key >> 1
    }

    /// Computes the key of one side; an IPv4-mapped IPv6 address has that of the IPv4 address.
    private static func loadKey(port: Int, address: Int, in program: inout PacketFilterProgram) {
        let (ipv4, ipv6, done) = (program.label(), program.label(), program.label())
        program.load(BPF_B, at: DiagMessage.Offset.family)
        program.branch(BPF_JEQ, UInt32(AddressFamily.ipv4.rawValue), to: ipv4)
        for (index, word) in [UInt32(0), 0, 0xffff].enumerated() {
            program.load(BPF_W, at: address + 4 * index)
            program.branch(BPF_JEQ, word, else: ipv6)
        }
        hash(port: port, words: [address + 12], in: &program)
        program.jump(to: done)
        program.bind(ipv6)
        hash(port: port, words: [address, address + 4, address + 8, address + 12], in: &program)
        program.jump(to: done)
        program.bind(ipv4)
        hash(port: port, words: [address], in: &program)
        program.bind(done)
        program.calculate(BPF_RSH, 1)
    }

    private static func hash(port: Int, words: [Int], in program: inout PacketFilterProgram) {
        program.load(BPF_H, at: port)
        program.calculate(BPF_MUL, portFactor)
        for word in words {
            program.copyToIndex()
            program.load(BPF_W, at: word)
            program.combineWithIndex()
            program.calculate(BPF_MUL, wordFactor)
        }
    }

    // MARK: Search

    /// How many keys are compared one after the other.
    private static let leaf = 8

    /// Passes the message when the key is among the sorted ones, and jumps otherwise.
    private static func search(
        _ keys: ArraySlice<UInt32>,
        miss: PacketFilterProgram.Label,
        in program: inout PacketFilterProgram
    ) {
        guard keys.count > leaf else {
            let hit = program.label()
            for key in keys { program.branch(BPF_JEQ, key, to: hit) }
            program.jump(to: miss)
            program.bind(hit)
            program.finish(passing: true)
            return
        }
        let middle = keys.startIndex + keys.count / 2
        let (lower, upper) = (program.label(), program.label())
        if size(keys.count / 2) < 255 {
            program.branch(BPF_JGE, keys[middle], to: upper)
        } else {
            program.branch(BPF_JGE, keys[middle], else: lower)
            program.jump(to: upper)
        }
        program.bind(lower)
        search(keys[..<middle], miss: miss, in: &program)
        program.bind(upper)
        search(keys[middle...], miss: miss, in: &program)
    }

    /// An upper bound of the instructions that a search of so many keys has.
    private static func size(_ count: Int) -> Int {
        count > leaf ? 2 + size(count / 2) + size(count - count / 2) : count + 2
    }
}
