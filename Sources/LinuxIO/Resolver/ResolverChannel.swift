// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CAres
internal import Glibc

/// One c-ares channel on the event loop: its sockets are watched, its time-outs are a timer, and both exist only while
/// a question is open.
///
/// On the loop's thread. c-ares keeps one retained reference to this object, which ``close()`` takes back. What c-ares
/// reports is collected (``takeReplies()``) and never acted on from inside it, so that whoever acts may do anything,
/// closing this channel included.
@safe final class ResolverChannel {
    /// A reply and whose it is.
    typealias Reply = (request: ResolverRequest, reply: QuestionReply)

    /// The search list of the configuration.
    private(set) var domains: [String] = []
    /// The configuration's `ndots`.
    private(set) var dots = 1
    /// Called after c-ares has worked, with c-ares left again.
    var worked: () -> Void = {}

    private let loop: EventLoop
    private let limits: ResolverLimits
    private var channel: OpaquePointer?
    private var reference: Unmanaged<ResolverChannel>?
    private var sockets: UnsafeMutablePointer<reachd_ares_sockets>?
    private var watches: [Int32: WatchToken] = [:]
    private var timer: (token: TimerToken, deadline: UInt64)?
    /// The open questions by the id they were sent with, and the last error code that a server gave for each.
    private var openQuestions: [UInt16: UInt8?] = [:]
    private var replies: [Reply] = []

    /// Makes a channel from a configuration file as it is now.
    ///
    /// - Throws: ``ResolverError`` when c-ares has no memory for it.
    init(loop: EventLoop, configuration path: String, limits: ResolverLimits) throws(ResolverError) {
        self.loop = loop
        self.limits = limits
        unsafe reference = Unmanaged.passRetained(self)
        do {
            try open(path)
        } catch {
            close()
            throw error
        }
    }

    private func open(_ path: String) throws(ResolverError) {
        guard let context = unsafe reference?.toOpaque() else { return }
        var options = unsafe ares_options()
        unsafe options.timeout = limits.timeout
        unsafe options.tries = limits.tries
        unsafe options.udp_port = limits.port
        unsafe options.tcp_port = limits.port
        unsafe options.sock_state_cb = socketChanged
        unsafe options.sock_state_cb_data = context
        let mask =
            ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT | ARES_OPT_SOCK_STATE_CB
            | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF
        // c-ares copies both texts. Files are not its business here ("b": servers only), HostsFile reads them.
        let status = unsafe path.withCString { path in
            unsafe "b".withCString { lookups in
                unsafe options.resolvconf_path = UnsafeMutablePointer(mutating: path)
                unsafe options.lookups = UnsafeMutablePointer(mutating: lookups)
                return unsafe ares_init_options(&channel, &options, mask)
            }
        }
        guard status == ARES_SUCCESS, let channel = unsafe channel else {
            throw ResolverError(
                code: .channel(status),
                message: "c-ares: \(unsafe String(cString: ares_strerror(status)))"
            )
        }
        let sockets = UnsafeMutablePointer<reachd_ares_sockets>.allocate(capacity: 1)
        unsafe sockets.initialize(to: reachd_ares_sockets(read: answerRead, context: context))
        unsafe self.sockets = sockets
        unsafe reachd_ares_use_sockets(channel, sockets)
        unsafe readSearchList(channel)
    }

    /// Ends every question without a reply and gives back what c-ares holds; a second call does nothing.
    func close() {
        if let timer { loop.cancel(timer.token) }
        timer = nil
        if let channel = unsafe channel {
            unsafe self.channel = nil
            unsafe ares_destroy(channel)
        }
        unsafe sockets?.deallocate()
        unsafe sockets = nil
        replies = []
        let held = unsafe reference
        unsafe reference = nil
        unsafe held?.release()
    }

    /// Asks the servers for one family of addresses of one name. The reply comes through ``takeReplies()``, after
    /// ``worked`` or, when the question could not even be sent, at once.
    func ask(_ name: String, isIPv6: Bool, for request: ResolverRequest) {
        guard let channel = unsafe channel else { return }
        var id = UInt16.random(in: .min ... .max)
        while openQuestions[id] != nil { id &+= 1 }
        var question: UnsafeMutablePointer<UInt8>?
        var length: Int32 = 0
        let type = isIPv6 ? DNSType.aaaa : DNSType.a
        let status = unsafe ares_create_query(name, DNSType.internet, type, id, 1, &question, &length, 0)
        guard status == ARES_SUCCESS else {
            replies.append((request, .failure(outcome(of: status, id: id))))
            return
        }
        defer { unsafe ares_free_string(question) }
        openQuestions[id] = .some(nil)
        let box = unsafe Unmanaged.passRetained(OpenQuestion(channel: self, request: request, id: id, isIPv6: isIPv6))
        unsafe ares_send(channel, question, length, questionEnded, box.toOpaque())
    }

    /// Ends every question without a reply.
    func cancelAll() {
        guard let channel = unsafe channel else { return }
        unsafe ares_cancel(channel)
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

    /// The name servers, with the port when it is not 53.
    var servers: [String] {
        guard let channel = unsafe channel else { return [] }
        var list: UnsafeMutablePointer<ares_addr_port_node>?
        guard unsafe ares_get_servers_ports(channel, &list) == ARES_SUCCESS else { return [] }
        defer { unsafe ares_free_data(list) }
        var texts: [String] = []
        var next = unsafe list
        while let node = unsafe next {
            let bytes = unsafe withUnsafeBytes(of: node.pointee.addr) { unsafe Array($0) }
            let isIPv6 = unsafe node.pointee.family == AF_INET6
            let text = AddressLiteral.text(of: Array(bytes.prefix(isIPv6 ? 16 : 4)))
            texts.append(limits.port == 53 ? text : isIPv6 ? "[\(text)]:\(limits.port)" : "\(text):\(limits.port)")
            unsafe next = node.pointee.next
        }
        return texts
    }

    /// Sets the timer to c-ares's next time-out; to be called after questions were asked.
    func updateTimer() {
        var interval = timeval()
        guard let channel = unsafe channel, unsafe ares_timeout(channel, nil, &interval) != nil else {
            if let timer { loop.cancel(timer.token) }
            timer = nil
            return
        }
        // c-ares rounds down to milliseconds and would find nothing to do at that time.
        let delay =
            UInt64(max(0, interval.tv_sec)) * 1_000_000_000 + UInt64(max(0, interval.tv_usec)) * 1_000 + 1_000_000
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

    /// Remembers the error code of an answer: c-ares tries the next server and says in the end only that none was left.
    fileprivate func noteAnswer(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= DNSHeader.size else { return }
        let header = unsafe DNSHeader(bytes)
        guard header.isAnswer, header.code != DNSHeader.noError, openQuestions[header.id] != nil else { return }
        openQuestions[header.id] = .some(header.code)
    }

    fileprivate func ended(_ question: OpenQuestion, status: Int32, answer: UnsafeBufferPointer<UInt8>) {
        defer { openQuestions[question.id] = nil }
        guard status != ARES_ECANCELLED, status != ARES_EDESTRUCTION else { return }
        let reply: QuestionReply
        if status == ARES_SUCCESS {
            reply = unsafe AnswerParser.parse(answer, isIPv6: question.isIPv6, limit: limits.addresses)
        } else {
            reply = .failure(outcome(of: status, id: question.id))
        }
        replies.append((question.request, reply))
    }

    private func work(readable: Int32?, writable: Int32?) {
        guard let channel = unsafe channel else { return }
        unsafe ares_process_fd(channel, readable ?? -1, writable ?? -1)
        updateTimer()
        worked()
    }

    private func outcome(of status: Int32, id: UInt16) -> ResolverAnswer.Outcome {
        switch status {
        case ARES_ETIMEOUT: .timedOut
        case ARES_ECONNREFUSED: (openQuestions[id] ?? nil).map(DNSHeader.outcome(of:)) ?? .unreachable
        case ARES_ESERVFAIL, ARES_ENOTIMP, ARES_EFORMERR: .serverFailure
        case ARES_EREFUSED: .refused
        case ARES_EBADNAME: .badName
        case ARES_ENOTFOUND: .noSuchName
        default: .failed(code: status)
        }
    }

    private func readSearchList(_ channel: OpaquePointer) {
        var options = unsafe ares_options()
        var mask: Int32 = 0
        defer { unsafe ares_destroy_options(&options) }
        guard unsafe ares_save_options(channel, &options, &mask) == ARES_SUCCESS else { return }
        dots = unsafe Int(options.ndots)
        for index in unsafe 0..<Int(max(0, options.ndomains)) {
            if let domain = unsafe options.domains?[index] { unsafe domains.append(String(cString: domain)) }
        }
    }
}

/// One question that c-ares has: its callback argument, retained until the one call of the callback.
private final class OpenQuestion {
    let channel: ResolverChannel
    let request: ResolverRequest
    let id: UInt16
    let isIPv6: Bool

    init(channel: ResolverChannel, request: ResolverRequest, id: UInt16, isIPv6: Bool) {
        self.channel = channel
        self.request = request
        self.id = id
        self.isIPv6 = isIPv6
    }
}

private func socketChanged(_ context: UnsafeMutableRawPointer?, _ socket: Int32, _ readable: Int32, _ writable: Int32) {
    guard let context = unsafe context else { return }
    let channel = unsafe Unmanaged<ResolverChannel>.fromOpaque(context).takeUnretainedValue()
    channel.watch(socket, readable: readable != 0, writable: writable != 0)
}

private func answerRead(_ context: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    let channel = unsafe Unmanaged<ResolverChannel>.fromOpaque(context).takeUnretainedValue()
    unsafe channel.noteAnswer(UnsafeBufferPointer(start: bytes, count: count))
}

private func questionEnded(
    _ context: UnsafeMutableRawPointer?,
    _ status: Int32,
    _ timeouts: Int32,
    _ answer: UnsafeMutablePointer<UInt8>?,
    _ length: Int32
) {
    guard let context = unsafe context else { return }
    let question = unsafe Unmanaged<OpenQuestion>.fromOpaque(context).takeRetainedValue()
    let bytes = unsafe UnsafeBufferPointer(start: answer, count: answer == nil ? 0 : Int(max(0, length)))
    unsafe question.channel.ended(question, status: status, answer: bytes)
}
