// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc
internal import LinuxIO

/// Puts questions to the kernel's route look-up in batches; the kernel, not a copy of its tables, decides.
///
/// 64 a batch cost 2.4 µs each and never overflow the default receive buffer (linux-paths section 7).
final class RouteLookup {
    static let batchSize = 64

    let socket: NetlinkSocket
    private var request = NetlinkRequest()

    /// Opens the query socket in the calling thread's network namespace.
    ///
    /// - Parameter patience: How long an answer is waited for.
    init(patience: Duration = .seconds(1)) throws(SystemError) {
        socket = try NetlinkSocket(patience: patience)
    }

    /// Asks questions and returns their answers in the same order.
    ///
    /// A question whose answer is lost is asked once more; one that stays without has the error `ETIMEDOUT`, which is no verdict of
    /// the kernel's.
    func ask(_ questions: [RouteQuestion]) -> [RouteAnswer] {
        var answers: [RouteAnswer] = []
        answers.reserveCapacity(questions.count)
        var start = 0
        while start < questions.count {
            let end = min(start + Self.batchSize, questions.count)
            ask(questions[start..<end], into: &answers)
            start = end
        }
        return answers
    }

    /// Asks one question.
    func ask(_ question: RouteQuestion) -> RouteAnswer {
        ask([question]).first ?? RouteAnswer(error: EIO)
    }

    private func ask(_ questions: ArraySlice<RouteQuestion>, into answers: inout [RouteAnswer]) {
        let first = answers.count
        var batch = RouteBatch(questions)
        for _ in 0..<2 where !batch.isAnswered { ask(&batch) }
        answers += batch.answers.map { $0 ?? RouteAnswer(error: batch.failure) }
        assert(answers.count == first + questions.count)
    }

    /// Asks what has no answer yet.
    private func ask(_ batch: inout RouteBatch) {
        request.removeAll()
        for index in batch.questions.indices where batch.answers[index] == nil {
            batch.sequences[index] = socket.nextSequence()
            write(batch.questions[index], sequence: batch.sequences[index])
        }
        do throws(SystemError) {
            try socket.send(request)
            // Whoever may send to this socket besides the kernel does not keep it from going on.
            for _ in 0..<2 * batch.questions.count where !batch.isAnswered {
                try socket.receiveMany(batch.missing) { batch.take($0) }
            }
        } catch {
            batch.failure = error.code
        }
    }

    private func write(_ question: RouteQuestion, sequence: UInt32) {
        let destination = question.destination
        var route = rtmsg()
        route.rtm_family = destination.family.rawValue
        route.rtm_dst_len = UInt8(destination.bitWidth)
        if question.wantsTableEntry { route.rtm_flags = UInt32(RTM_F_FIB_MATCH) }
        if let source = question.source { route.rtm_src_len = UInt8(source.bitWidth) }
        request.begin(type: Int(RTM_GETROUTE), flags: Int(NLM_F_REQUEST), sequence: sequence, header: route)
        request.attribute(Int(RTA_DST.rawValue), destination)
        if let source = question.source { request.attribute(Int(RTA_SRC.rawValue), source) }
        if question.interface != 0 { request.attribute(Int(RTA_OIF.rawValue), question.interface) }
        if let mark = question.mark { request.attribute(Int(RTA_MARK.rawValue), mark) }
        request.end()
    }

    /// The ways of a next-hop object, or of each member of a group of them.
    func hops(ofNextHop id: UInt32) -> [RouteAnswer.Hop] {
        let object = nextHop(id)
        guard !object.members.isEmpty else { return object.hop.map { [$0] } ?? [] }
        return object.members.compactMap { nextHop($0).hop }
    }

    private struct NextHop {
        var hop: RouteAnswer.Hop?
        var members: [UInt32] = []
    }

    private func nextHop(_ id: UInt32) -> NextHop {
        var result = NextHop()
        request.removeAll()
        let sequence = socket.nextSequence()
        request.begin(type: Int(RTM_GETNEXTHOP), flags: Int(NLM_F_REQUEST), sequence: sequence, header: nhmsg())
        request.attribute(Int(NHA_ID), id)
        request.end()
        do {
            try socket.send(request)
            var isAnswered = false
            while !isAnswered {
                try socket.receive(waiting: true) { bytes in
                    NetlinkMessage.forEach(in: bytes) { message in
                        guard message.sequence == sequence else { return }
                        isAnswered = true
                        result = Self.read(message)
                    }
                }
            }
        } catch {
            // No answer leaves the object without ways, which the verdict reports as a dead link.
            return NextHop()
        }
        return result
    }

    private static func read(_ message: NetlinkMessage) -> NextHop {
        var result = NextHop()
        guard message.type == Int(RTM_NEWNEXTHOP), let header = message.payload.load(nhmsg.self) else { return result }
        var hop = RouteAnswer.Hop(
            interface: 0,
            gateway: nil,
            isDead: header.nh_flags & UInt32(RTNH_F_DEAD | RTNH_F_LINKDOWN) != 0
        )
        for attribute in NetlinkAttributes(message.payload, from: MemoryLayout<nhmsg>.size) {
            switch attribute.type {
            case Int(NHA_OIF): hop.interface = attribute.value.load(UInt32.self) ?? 0
            case Int(NHA_GATEWAY): hop.gateway = attribute.value.address
            case Int(NHA_GROUP):
                var offset = 0
                while let member = attribute.value.load(nexthop_grp.self, at: offset) {
                    result.members.append(member.id)
                    offset += MemoryLayout<nexthop_grp>.size
                }
            default: continue
            }
        }
        if hop.interface != 0 { result.hop = hop }
        return result
    }
}

/// Questions that are asked together, and what came back so far.
struct RouteBatch {
    let questions: [RouteQuestion]
    /// The number of each question's message.
    var sequences: [UInt32]
    private(set) var answers: [RouteAnswer?]
    private(set) var missing: Int
    /// Why some have no answer.
    var failure = ETIMEDOUT

    init(_ questions: ArraySlice<RouteQuestion>) {
        self.questions = Array(questions)
        sequences = Array(repeating: 0, count: questions.count)
        answers = Array(repeating: nil, count: questions.count)
        missing = questions.count
    }

    var isAnswered: Bool { missing == 0 }

    /// Puts answers in their places; what answers an earlier question, or none, is left out.
    mutating func take(_ bytes: NetlinkBytes) {
        NetlinkMessage.forEach(in: bytes) { message in
            // Questions are numbered upwards, and answered in their order.
            guard let index = index(of: message.sequence), answers[index] == nil, let answer = RouteAnswer(message)
            else { return }
            answers[index] = answer
            missing -= 1
        }
    }

    private func index(of sequence: UInt32) -> Int? {
        // All are asked the first time, so that most are at their distance from the first.
        let distance = Int(sequence &- sequences[0])
        if distance < sequences.count, sequences[distance] == sequence { return distance }
        return sequences.firstIndex(of: sequence)
    }
}
