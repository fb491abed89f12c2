// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// A connection: made, taken over to TLS where the plan says so, and what is said on it.
///
/// At most 64 KiB of an answer are kept, and they are looked at once per arrival while they are few, then at most every
/// 10 ms. What is received below TLS is bounded by a ``ReceiveMeter``.
final class StreamProbe: ProbeAttempt {
    private static let scanInterval: UInt64 = 10_000_000
    /// How long a server that asked for a certificate has to refuse it.
    private static let decisionTime: UInt64 = 1_000_000_000
    private static let receivePiece = 16 << 10

    private enum Stage {
        case connecting
        case startTLS
        case handshaking
        case talking
        /// TLS stands; the server may still refuse our certificate.
        case awaitingDecision
    }

    private let plan: StreamPlan
    private let progress: AttemptProgress
    private let service: TLSService
    /// The most bytes that TLS takes from the network.
    private let receiveLimit: Int
    private var stage = Stage.connecting
    private var link: StreamLink?
    private var check: TLSCheck?
    private var startTLS: StartTLSDialogue?
    private var dialogue: StreamDialogue
    private var outgoing: ArraySlice<UInt8> = []
    private var scanIsPlanned = false
    private var turnIsPlanned = false
    private var hasHeardOverTLS = false
    private var report: TLSReport?

    init(_ plan: StreamPlan, _ context: AttemptContext, _ service: TLSService) {
        self.plan = plan
        self.service = service
        progress = AttemptProgress(context)
        startTLS = plan.startTLS.map { StartTLSDialogue($0) }
        dialogue = StreamDialogue(plan.dialogue)
        receiveLimit = ReceiveMeter(content: max(1, plan.dialogue.count) * StreamDialogue.receiveLimit).limit
    }

    func start() {
        attempt { () throws(ProbeFault) in
            let context = progress.context
            if let tls = plan.tls { check = try service.check(tls, host: context.host) }
            let socket = try ProbeSocket(SOCK_STREAM, to: context.address, port: plan.port, from: context.origin)
            link = StreamLink(socket: socket)
            if try socket.connect() { try connected() } else { try wait(for: .writable) }
        }
    }

    func expire() {
        switch stage {
        case .connecting: fail(ProbeFault(reason: .timeout, detail: "no connection in time"))
        case .startTLS: fail(ProbeFault(reason: .timeout, detail: "connected, and no consent to TLS in time"))
        case .handshaking: fail(ProbeFault(reason: .timeout, detail: "connected, and no TLS handshake in time"))
        case .awaitingDecision: finish()
        case .talking:
            attempt { () throws(ProbeFault) in
                try dialogue.expire()
                finish()
            }
        }
    }

    func cancel() {
        progress.end()
        link = nil
    }

    // MARK: Steps

    private func ready() {
        attempt { () throws(ProbeFault) in
            guard let link else { return }
            if let tls = link.tls, tls.received > receiveLimit { throw tooMuch() }
            if stage == .connecting {
                try link.socket.checkError("connect")
                return try connected()
            }
            if stage == .talking, outgoing.isEmpty, dialogue.isExpecting { try listen() }
            if !progress.isOver { try advance() }
        }
    }

    private func tooMuch() -> ProbeFault {
        ProbeFault(
            reason: stage == .handshaking ? .tlsHandshakeFailed : .malformedResponse,
            detail: "the peer sent more than \(receiveLimit) bytes over TLS, and not what is expected"
        )
    }

    private func connected() throws(ProbeFault) {
        link?.socket.endErrorReports()
        progress.isAnswered = true
        progress.endPhase(.connect)
        if startTLS != nil { stage = .startTLS } else { try beginTLS() }
        try advance()
    }

    private func beginTLS() throws(ProbeFault) {
        guard let check, let link else { return stage = .talking }
        self.link?.tls = try TLSConnection(link.socket.descriptor, check)
        stage = .handshaking
    }

    /// Goes as far as it goes now.
    private func advance() throws(ProbeFault) {
        while let link, !progress.isOver {
            if !outgoing.isEmpty {
                switch try link.send(outgoing) {
                case .done(let count): outgoing.removeFirst(count)
                case .waits(let events): return try wait(for: events)
                }
                continue
            }
            let goesOn =
                switch stage {
                case .connecting: false
                case .startTLS: try agree(on: link)
                case .handshaking: try shakeHands(on: link)
                case .talking: try talk()
                case .awaitingDecision: try hear(decisionOn: link)
                }
            guard goesOn else { return }
        }
    }

    private func agree(on link: StreamLink) throws(ProbeFault) -> Bool {
        switch try link.receive(Self.receivePiece) {
        case .waits(let events): try wait(for: events)
        case .done(let bytes) where bytes.isEmpty:
            throw ProbeFault(reason: .connectionClosed, detail: "the peer closed the connection before TLS")
        case .done(let bytes):
            switch try startTLS?.take(bytes) ?? .begin {
            // One read a turn: other probes are to have theirs.
            case .wait: try wait(for: .readable)
            case .send(let text):
                outgoing = Array(text.utf8)[...]
                return true
            case .begin:
                progress.endPhase(.startTLS)
                try beginTLS()
                return true
            }
        }
        return false
    }

    private func shakeHands(on link: StreamLink) throws(ProbeFault) -> Bool {
        guard let tls = link.tls else { return false }
        if let events = try tls.handshake() {
            try wait(for: events)
            return false
        }
        progress.endPhase(.tls)
        report = tls.report
        stage = .talking
        return true
    }

    private func talk() throws(ProbeFault) -> Bool {
        switch try dialogue.next(mayLook: !scanIsPlanned) {
        case .send(let bytes): outgoing = bytes[...]
        case .receive: return try waitToListen()
        case .receiveSlowly:
            planScan()
            return try waitToListen()
        case .done:
            if !plan.dialogue.isEmpty { progress.endPhase(.request) }
            guard let tls = link?.tls else {
                finish()
                return false
            }
            guard tls.isServerUndecided, !hasHeardOverTLS else {
                tls.sendCloseNotify()
                finish()
                return false
            }
            tls.sendCloseNotify()
            stage = .awaitingDecision
            let deadline = progress.loop.clock.now() + Self.decisionTime
            progress.schedule(at: deadline) { [weak self] in self?.finish() }
        }
        return true
    }

    /// Until the server says something: an alert is its refusal, everything else its consent.
    private func hear(decisionOn link: StreamLink) throws(ProbeFault) -> Bool {
        guard case .waits(let events) = try link.receive(1_024), link.tls?.hasTicket == false else {
            finish()
            return false
        }
        try wait(for: events)
        return false
    }

    private func listen() throws(ProbeFault) {
        // One read a turn: other probes are to have theirs.
        guard let link, dialogue.room > 0 else { return }
        switch try link.receive(min(Self.receivePiece, dialogue.room)) {
        case .done(let bytes):
            dialogue.take(bytes)
            if link.tls != nil, !bytes.isEmpty { hasHeardOverTLS = true }
        // What TLS has to send meanwhile is sent with the next step; only a full socket can be in its way.
        case .waits: break
        }
    }

    // MARK: Waiting

    private func waitToListen() throws(ProbeFault) -> Bool {
        if link?.tls?.mayHavePending == true { planTurn() }
        try wait(for: .readable)
        return false
    }

    private func wait(for events: EventLoop.Events) throws(ProbeFault) {
        guard let link else { return }
        try progress.wait(on: link.socket, for: events) { [weak self] _ in self?.ready() }
    }

    private func planScan() {
        guard !scanIsPlanned else { return }
        scanIsPlanned = true
        progress.schedule(at: progress.loop.clock.now() + Self.scanInterval) { [weak self] in
            guard let self else { return }
            scanIsPlanned = false
            attempt { () throws(ProbeFault) in try advance() }
        }
    }

    /// The session holds what the socket has no more: no event tells.
    private func planTurn() {
        guard !turnIsPlanned else { return }
        turnIsPlanned = true
        progress.schedule(at: 0) { [weak self] in
            guard let self else { return }
            turnIsPlanned = false
            ready()
        }
    }

    // MARK: The end

    private func finish() {
        let words = (link?.tls == nil ? "connected" : "connected, TLS stands") + dialogue.words
        end(.success, nil, words)
    }

    func fail(_ fault: ProbeFault) {
        if report == nil { report = link?.tls?.report }
        progress.stopWaiting()
        link = nil
        progress.fail(fault) { [report] in $0.tls = report }
    }

    private func end(_ outcome: ProbeOutcome, _ reason: ProbeReason?, _ detail: String) {
        progress.stopWaiting()
        link = nil
        progress.finish(outcome, reason, detail) { [report] in $0.tls = report }
    }
}

/// What is done on a connection, in this order.
struct StreamPlan {
    let port: UInt16
    var startTLS: StartTLSProtocol?
    var tls: TLSSettings?
    var dialogue: [DialogueStep] = []
}

/// A connection, with TLS on it or without.
struct StreamLink {
    let socket: ProbeSocket
    var tls: TLSConnection?

    /// Sends what the socket takes.
    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeFault) -> StreamStep<Int> {
        if let tls { return try tls.send(bytes) }
        return switch try socket.send(bytes) {
        case .done(let count): .done(count)
        case .wouldBlock: .waits(.writable)
        }
    }

    /// Receives at most so many bytes; none is the peer's end.
    func receive(_ limit: Int) throws(ProbeFault) -> StreamStep<[UInt8]> {
        if let tls { return try tls.receive(limit) }
        return switch try socket.receive(limit) {
        case .done(let bytes): .done(bytes)
        case .wouldBlock: .waits(.readable)
        }
    }
}

/// What a step on a connection came to.
enum StreamStep<Value> {
    /// It was done.
    case done(Value)
    /// This must happen to the socket first.
    case waits(EventLoop.Events)
}
