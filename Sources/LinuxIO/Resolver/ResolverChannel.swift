// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
internal import CAres
internal import Glibc

/// One c-ares channel on the event loop: its sockets are watched, its time-outs are a timer, and both exist only while
/// a question is open.
///
/// On the loop's thread. c-ares keeps one retained reference to this object, which ``close()`` takes back. What c-ares
/// reports is collected (``takeReplies()``) and never acted on from inside it, so that the caller may do anything,
/// closing this channel included.
@safe final class ResolverChannel {
    /// A reply and whose it is.
    typealias Reply = (request: ResolverRequest, round: Int, reply: QuestionReply)

    /// Called after c-ares has worked, with c-ares left again.
    var worked: () -> Void = {}

    private static let operation = "socket(to a name server)"

    private let loop: EventLoop
    private let servers: [ScopedAddress]
    private let limits: ResolverLimits
    private var channel: OpaquePointer?
    private var reference: Unmanaged<ResolverChannel>?
    private var watches: [Int32: WatchToken] = [:]
    private var timer: (token: TimerToken, deadline: UInt64)?
    /// The open questions by the id they were sent with.
    private var openQuestions: [UInt16: Progress] = [:]
    /// How many answers the first server gave.
    private var answersOfFirst = 0
    /// The place of the server that answered last.
    private(set) var lastAnswering: Int?
    /// The place of a server that answered a question while the first one answered none: that one is dead.
    private(set) var successor: Int?
    private var replies: [Reply] = []
    /// Why this machine had no socket to give since c-ares was called; questions that end meanwhile without an answer end for that.
    private var exhaustion: SystemError?

    /// What became of an open question so far.
    private struct Progress {
        /// The last error code that a server gave.
        var code: UInt8?
        /// ``answersOfFirst`` when it was asked.
        let answersOfFirst: Int
    }

    /// Makes a channel.
    ///
    /// - Parameters:
    ///   - servers: In the order in which they are asked.
    ///   - rotates: Whether questions begin at the servers in turn.
    /// - Throws: ``ResolverError`` when c-ares has no memory for it.
    init(
        loop: EventLoop,
        servers: [ScopedAddress],
        rotates: Bool,
        limits: ResolverLimits
    ) throws(ResolverError) {
        self.loop = loop
        self.servers = servers
        self.limits = limits
        unsafe reference = Unmanaged.passRetained(self)
        do {
            try open(rotates: rotates)
        } catch {
            close()
            throw error
        }
    }

    private func open(rotates: Bool) throws(ResolverError) {
        guard let context = unsafe reference?.toOpaque() else { return }
        var status: Int32 = 0
        let texts = servers.map(\.description).joined(separator: ",")
        unsafe channel = texts.withCString { texts in
            var configuration = unsafe reachd_ares_configuration(
                servers: texts,
                rotates: rotates ? 1 : 0,
                timeout: limits.timeout,
                tries: limits.tries,
                port: limits.port,
                context: context,
                watch: socketChanged,
                read: answerRead,
                failed: socketFailed
            )
            return unsafe reachd_ares_create(&configuration, &status)
        }
        guard unsafe channel != nil else {
            let words = unsafe String(cString: reachd_ares_words(status))
            throw ResolverError(code: .channel(status), message: "c-ares: \(words)")
        }
    }

    /// Ends every question without a reply and releases what c-ares holds; a second call does nothing.
    func close() {
        if let timer { loop.cancel(timer.token) }
        timer = nil
        if let channel = unsafe channel {
            unsafe self.channel = nil
            unsafe reachd_ares_destroy(channel)
        }
        replies = []
        let held = unsafe reference
        unsafe reference = nil
        unsafe held?.release()
    }

    /// Asks the servers for the records of one type of one name. The reply comes through ``takeReplies()``, after
    /// ``worked`` or, when the question could not even be sent, at once.
    func ask(_ name: String, type: Int32, for request: ResolverRequest) {
        guard let channel = unsafe channel else { return }
        exhaustion = nil
        var id = UInt16.random(in: .min ... .max)
        while openQuestions[id] != nil { id &+= 1 }
        openQuestions[id] = Progress(answersOfFirst: answersOfFirst)
        let box = unsafe Unmanaged.passRetained(OpenQuestion(channel: self, request: request, id: id, type: type))
        let status = unsafe reachd_ares_ask(channel, name, type, id, questionEnded, box.toOpaque())
        guard status != AresStatus.success else { return }
        unsafe box.release()
        replies.append((request, request.round, .failure(outcome(of: status, id: id))))
        openQuestions[id] = nil
    }

    /// Ends every question without a reply.
    func cancelAll() {
        guard let channel = unsafe channel else { return }
        unsafe reachd_ares_cancel(channel)
        replies = []
        updateTimer()
    }

    /// The replies since the last call.
    func takeReplies() -> [Reply] {
        defer { replies = [] }
        return replies
    }

    /// Whether ``takeReplies()`` would give any.
    var hasReplies: Bool { !replies.isEmpty }

    /// Whether no question is open and no reply waits.
    var isIdle: Bool { openQuestions.isEmpty && replies.isEmpty }

    /// Sets the timer to c-ares's next time-out; to be called after questions were asked.
    func updateTimer() {
        let milliseconds = unsafe channel.map { unsafe reachd_ares_timeout($0) } ?? -1
        guard milliseconds >= 0 else {
            if let timer { loop.cancel(timer.token) }
            timer = nil
            return
        }
        // c-ares rounds down and would find nothing to do at that time.
        let delay = (UInt64(milliseconds) + 1) * 1_000_000
        let deadline = loop.clock.now() + delay
        if let timer {
            // One that comes too early does no harm and looks again.
            guard deadline < timer.deadline else { return }
            loop.cancel(timer.token)
        }
        let token = loop.schedule(at: deadline) { [weak self] in
            self?.timer = nil
            self?.work(readable: nil, writable: nil)
        }
        timer = (token, deadline)
    }

    // MARK: What c-ares calls

    fileprivate func watch(_ descriptor: Int32, readable: Bool, writable: Bool) {
        var events: EventLoop.Events = []
        if readable { events.insert(.readable) }
        if writable { events.insert(.writable) }
        if events.isEmpty {
            if let token = watches.removeValue(forKey: descriptor) { loop.unwatch(token) }
            return
        }
        // Where the kernel has no memory for a watch, the question ends by its time-out.
        if let token = watches[descriptor] {
            try? loop.rewatch(token, for: events)
        } else {
            watches[descriptor] = try? loop.watch(descriptor, for: events) { [weak self] events in
                self?.work(
                    readable: events.contains(.readable) ? descriptor : nil,
                    writable: events.contains(.writable) ? descriptor : nil
                )
            }
        }
    }

    /// Remembers which server answered, and the error code: c-ares tries the next server and says in the end only that none was left.
    fileprivate func noteAnswer(_ bytes: UnsafeBufferPointer<UInt8>, from server: Int?) {
        guard bytes.count >= DNSHeader.size else { return }
        let header = unsafe DNSHeader(bytes)
        guard header.isAnswer, let question = openQuestions[header.id] else { return }
        if let server {
            lastAnswering = server
            let isUseful = header.code == DNSHeader.noError || header.code == DNSHeader.noSuchName
            if server == 0 {
                answersOfFirst += 1
                successor = nil
            } else if isUseful, question.code == nil, question.answersOfFirst == answersOfFirst {
                successor = server
            }
        }
        if header.code != DNSHeader.noError { openQuestions[header.id]?.code = header.code }
    }

    /// Remembers that this machine had no socket to give: c-ares takes it for a server that refuses.
    fileprivate func noteFailure(_ code: Int32) {
        let error = SystemError(code: code, operation: Self.operation)
        if error.isExhaustion { exhaustion = error }
    }

    fileprivate func ended(_ question: OpenQuestion, status: Int32, answer: UnsafeBufferPointer<UInt8>) {
        defer { openQuestions[question.id] = nil }
        guard status != AresStatus.cancelled, status != AresStatus.destroyed else { return }
        let reply: QuestionReply
        if status == AresStatus.success {
            reply =
                question.type == DNSType.srv
                ? unsafe ServiceParser.parse(Array(answer), limit: limits.addresses)
                : unsafe AnswerParser.parse(answer, isIPv6: question.type == DNSType.aaaa, limit: limits.addresses)
        } else {
            reply = .failure(outcome(of: status, id: question.id))
        }
        replies.append((question.request, question.round, reply))
    }

    private func work(readable: Int32?, writable: Int32?) {
        guard let channel = unsafe channel else { return }
        exhaustion = nil
        unsafe reachd_ares_process(channel, readable ?? -1, writable ?? -1)
        updateTimer()
        worked()
    }

    private func outcome(of status: Int32, id: UInt16) -> ResolverAnswer.Outcome {
        switch status {
        case AresStatus.timedOut: .timedOut
        case AresStatus.connectionRefused:
            openQuestions[id]?.code.map(DNSHeader.outcome(of:)) ?? exhaustion.map { .exhausted($0) } ?? .unreachable
        case AresStatus.noMemory: .exhausted(SystemError(code: ENOMEM, operation: Self.operation))
        // c-ares 1.34 reads records itself and refuses malformed ones.
        case AresStatus.serverFailure, AresStatus.notImplemented, AresStatus.badFormat, AresStatus.badAnswer:
            .serverFailure
        case AresStatus.refused: .refused
        case AresStatus.badName: .badName
        case AresStatus.notFound: .noSuchName
        default: .failed(code: status)
        }
    }
}

/// One question that c-ares has: its callback argument, retained until the one call of the callback.
private final class OpenQuestion {
    let channel: ResolverChannel
    let request: ResolverRequest
    let round: Int
    let id: UInt16
    let type: Int32

    init(channel: ResolverChannel, request: ResolverRequest, id: UInt16, type: Int32) {
        self.channel = channel
        self.request = request
        round = request.round
        self.id = id
        self.type = type
    }
}

private func socketChanged(_ context: UnsafeMutableRawPointer, _ socket: Int32, _ readable: Int32, _ writable: Int32) {
    let channel = unsafe Unmanaged<ResolverChannel>.fromOpaque(context).takeUnretainedValue()
    channel.watch(socket, readable: readable != 0, writable: writable != 0)
}

private func answerRead(
    _ context: UnsafeMutableRawPointer,
    _ bytes: UnsafePointer<UInt8>,
    _ count: Int,
    _ server: Int32
) {
    let channel = unsafe Unmanaged<ResolverChannel>.fromOpaque(context).takeUnretainedValue()
    let place = server < 0 ? nil : Int(server)
    unsafe channel.noteAnswer(UnsafeBufferPointer(start: bytes, count: count), from: place)
}

private func socketFailed(_ context: UnsafeMutableRawPointer, _ code: Int32) {
    let channel = unsafe Unmanaged<ResolverChannel>.fromOpaque(context).takeUnretainedValue()
    channel.noteFailure(code)
}

private func questionEnded(
    _ context: UnsafeMutableRawPointer?,
    _ status: Int32,
    _ answer: UnsafePointer<UInt8>?,
    _ count: Int
) {
    guard let context = unsafe context else { return }
    let question = unsafe Unmanaged<OpenQuestion>.fromOpaque(context).takeRetainedValue()
    unsafe question.channel.ended(question, status: status, answer: UnsafeBufferPointer(start: answer, count: count))
}

extension SystemLibrary {
    /// What ``Resolver`` asks name servers with.
    package static var cAres: SystemLibrary {
        SystemLibrary(
            "c-ares",
            version: unsafe String(cString: reachd_ares_version()),
            supported: [Series("1.18", "1.34")]
        )
    }
}
