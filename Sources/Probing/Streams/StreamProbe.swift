// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// Probes a connection: connects, starts TLS according to the plan, and runs the dialogue.
///
/// At most 64 KiB of a response are kept. They are matched on each arrival while they are few, then at most every 10
/// ms. A ``ReceiveMeter`` limits the bytes received below TLS.
final class StreamProbe: ProbeAttempt {
    private static let scanInterval: UInt64 = 10_000_000
    /// The time that a server has to refuse the client certificate it requested.
    private static let decisionTime: UInt64 = 1_000_000_000
    private static let receivePiece = 16 << 10

    private enum Stage {
        case connecting
        case startTLS
        case handshaking
        case talking
        /// The handshake is complete, but the server may still refuse our certificate.
        case awaitingDecision
    }

    private let plan: StreamPlan
    private let progress: AttemptProgress
    private let service: TLSService
    /// The limit of bytes that TLS receives from the network.
    private let receiveLimit: Int
    private var stage = Stage.connecting
    private var link: StreamLink?
    private var check: TLSCheck?
    private var startTLS: StartTLSDialogue?
    private var dialogue: any StreamConversation
    private var outgoing: ArraySlice<UInt8> = []
    private var scanIsPlanned = false
    private var turnIsPlanned = false
    private var hasHeardOverTLS = false
    private var report: TLSReport?

    /// - Parameter conversation: What is said, instead of the plan's dialogue.
    init(
        _ plan: StreamPlan,
        _ context: AttemptContext,
        _ service: TLSService,
        conversation: (any StreamConversation)? = nil
    ) {
        self.plan = plan
        self.service = service
        progress = AttemptProgress(context)
        dialogue = conversation ?? StreamDialogue(plan.dialogue)
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
        case .startTLS: fail(ProbeFault(reason: .timeout, detail: "connected, but no response to STARTTLS in time"))
        case .handshaking: fail(ProbeFault(reason: .timeout, detail: "connected, but the TLS handshake timed out"))
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
            detail: "the peer sent more than \(receiveLimit) bytes over TLS without the expected response"
        )
    }

    private func connected() throws(ProbeFault) {
        link?.socket.endErrorReports()
        progress.isAnswered = true
        progress.endPhase(.connect)
        if let name = plan.startTLS {
            let own = name == .smtp ? MachineName.full : nil
            let clientName = plan.clientName ?? StartTLSDialogue.clientName(own, link?.socket.localAddress)
            startTLS = StartTLSDialogue(name, clientName: clientName)
            stage = .startTLS
        } else {
            try beginTLS()
        }
        try advance()
    }

    private func beginTLS() throws(ProbeFault) {
        guard let check, let link else { return stage = .talking }
        self.link?.tls = try TLSConnection(link.socket.descriptor, check)
        stage = .handshaking
    }

    /// Advances as far as possible now.
    private func advance() throws(ProbeFault) {
        while let link, !progress.isOver {
            if !outgoing.isEmpty {
                switch try link.send(outgoing) {
                case .done(let count):
                    outgoing.removeFirst(count)
                    if outgoing.isEmpty, let time = dialogue.replyTime { progress.context.postpone(time) }
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
            // One read per turn, so that other probes get theirs.
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
            if !dialogue.isEmpty { progress.endPhase(.request) }
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

    /// Waits for the server's decision: an alert is a refusal, any other data an acceptance.
    private func hear(decisionOn link: StreamLink) throws(ProbeFault) -> Bool {
        guard case .waits(let events) = try link.receive(1_024), link.tls?.hasTicket == false else {
            finish()
            return false
        }
        try wait(for: events)
        return false
    }

    private func listen() throws(ProbeFault) {
        // One read per turn, so that other probes get theirs.
        guard let link, dialogue.room > 0 else { return }
        switch try link.receive(min(Self.receivePiece, dialogue.room)) {
        case .done(let bytes):
            dialogue.take(bytes)
            if link.tls != nil, !bytes.isEmpty { hasHeardOverTLS = true }
        // Pending TLS data is sent with the next step; only a full socket can delay it.
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

    /// Schedules a turn when the session has buffered data, for which no socket event comes.
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
        let words = (link?.tls == nil ? "connected" : "connected with TLS") + dialogue.words
        end(.success, nil, words)
    }

    func fail(_ fault: ProbeFault) {
        if report == nil { report = link?.tls?.report }
        progress.stopWaiting()
        let stall = stage == .connecting || fault.reason != .timeout ? nil : link?.socket.stall
        link = nil
        progress.fail(fault, stall: stall) { [report] in $0.tls = report }
    }

    private func end(_ outcome: ProbeOutcome, _ reason: ProbeReason?, _ detail: String) {
        progress.stopWaiting()
        link = nil
        progress.finish(outcome, reason, detail) { [report] in $0.tls = report }
    }
}

/// The stages of a probe of a connection, in this order.
struct StreamPlan {
    let port: UInt16
    var startTLS: StartTLSProtocol?
    /// The name that this machine gives to a mail server; nil for its own.
    var clientName: String?
    var tls: TLSSettings?
    var dialogue: [DialogueStep] = []
}

/// A connection with or without TLS.
struct StreamLink {
    let socket: ProbeSocket
    var tls: TLSConnection?

    /// Sends as much as the socket accepts.
    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeFault) -> StreamStep<Int> {
        if let tls { return try tls.send(bytes) }
        return switch try socket.send(bytes) {
        case .done(let count): .done(count)
        case .wouldBlock: .waits(.writable)
        }
    }

    /// Receives at most `limit` bytes; empty at the peer's end.
    func receive(_ limit: Int) throws(ProbeFault) -> StreamStep<[UInt8]> {
        if let tls { return try tls.receive(limit) }
        return switch try socket.receive(limit) {
        case .done(let bytes): .done(bytes)
        case .wouldBlock: .waits(.readable)
        }
    }
}

/// The result of a step on a connection.
enum StreamStep<Value> {
    /// The step is done.
    case done(Value)
    /// The step must wait for a socket event.
    case waits(EventLoop.Events)
}
