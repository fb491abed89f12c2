// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
internal import Glibc

/// Names to addresses, on an event loop: the hosts file, then the name servers through c-ares, both families, with
/// times to live; and services to their servers.
///
/// On the loop's thread, all of it. No thread waits for a name; no timer, socket or system call exists while nothing is
/// asked. The time-outs are c-ares's own and run by the system's clock, whatever clock the loop has. A completion is
/// called once, on the loop's thread, never from inside ``resolve(_:completion:)``, and not after
/// ``ResolverQuery/cancel()`` or ``close()``. Specification: linux-paths.md, section 8.
///
/// Not looked at: NSS modules other than `files`, `dns` and `resolve`, and `HOSTALIASES`.
package final class Resolver {
    /// What could not be read when the configuration was read last; the resolver works without it.
    package private(set) var problems: [ResolverError] = []

    private let loop: EventLoop
    private let files: ResolverConfigurationFiles
    private let limits: ResolverLimits
    private var channel: NameServers
    private var hosts = HostsFile()
    private var sources = NameSources.standard
    private var searchList = SearchList(parsing: [])
    private var serverList: ServerList
    private var isClosed = false

    /// Asked for and waiting for one of the places in flight, in order.
    private var waiting = RequestQueue()
    /// In flight, in the order of their start.
    private var flying: [ResolverRequest] = []
    /// Of one family the addresses are known, the other's answer is late. These take no place from others.
    private var late: [ResolverRequest] = []
    private var answered: [(request: ResolverRequest, answer: Answer)] = []
    private var nextTurn: TimerToken?

    private enum Answer {
        case names(ResolverAnswer)
        case services([ServiceRecord])
    }

    /// Reads the configuration. On the loop's thread.
    ///
    /// - Parameters:
    ///   - loop: Where everything happens.
    ///   - files: Where the configuration is read, now and by ``reload()``.
    ///   - limits: How long and how much to ask.
    /// - Throws: ``ResolverError`` when c-ares has no memory. A missing or unreadable file is not an error (``problems``).
    package init(
        loop: EventLoop,
        files: ResolverConfigurationFiles = ResolverConfigurationFiles(),
        limits: ResolverLimits = ResolverLimits()
    ) throws(ResolverError) {
        self.loop = loop
        self.files = files
        self.limits = limits
        // Whether it can be read is reported below.
        serverList = ServerList.system(parsing: (try? FileContents.read(files.resolvConf, limit: Self.sizeLimit)) ?? [])
        channel = try NameServers(loop: loop, list: serverList, limits: limits)
        channel.worked = { [weak self] in self?.turn() }
        readFiles()
    }

    /// How much of a file with settings is read, in bytes.
    private static let sizeLimit = 1 << 20

    /// How long the answer about the other family is awaited before the addresses of one are reported (RFC 8305, section 3).
    static let resolutionDelay: UInt64 = 50_000_000

    /// Asks for the addresses of a name.
    ///
    /// - Parameters:
    ///   - name: A host name, also beyond ASCII, or an address, which is its own answer. A dot at the end keeps the search list out.
    ///   - family: The only family that the servers are asked for; the hosts file and literals may have the other one too.
    ///   - early: Gets the addresses of one family, at most once, 50 ms after they came without an answer about the other family; some
    ///     name servers never give one. The completion is called after it, unless the query is cancelled.
    ///   - completion: Gets the answer, once, in a later turn of the loop.
    /// - Returns: The means to cancel.
    @discardableResult
    package func resolve(
        _ name: String,
        family: AddressFamily? = nil,
        early: ((ResolverAnswer) -> Void)? = nil,
        completion: @escaping (ResolverAnswer) -> Void
    ) -> ResolverQuery {
        let request = ResolverRequest(name: name, family: family, completion: .addresses(completion))
        request.early = early
        return start(request)
    }

    /// Asks the name servers for the servers of a service (SRV, RFC 2782). The hosts file has none.
    ///
    /// - Parameters:
    ///   - name: `_http._tcp.example.org`. A dot at the end keeps the search list out.
    ///   - completion: Gets the answer, once, in a later turn of the loop.
    /// - Returns: The means to cancel.
    @discardableResult
    package func services(_ name: String, completion: @escaping (ServiceAnswer) -> Void) -> ResolverQuery {
        start(ResolverRequest(name: name, completion: .services(completion)))
    }

    private func start(_ request: ResolverRequest) -> ResolverQuery {
        let query = ResolverQuery(resolver: self, request: request)
        guard !isClosed else {
            request.completion = nil
            return query
        }
        place(request)
        startWaiting()
        return query
    }

    /// Reads the configuration anew. Names that are being asked for are asked for anew, from the start, and so are those whose answer
    /// was not delivered yet: no answer of the old files comes after this.
    ///
    /// - Returns: Why the old name servers stay in use, when they do: there is no memory or descriptor for new ones.
    @discardableResult
    package func reload() -> ResolverError? {
        guard !isClosed else { return nil }
        readFiles()
        // A file that cannot be opened is not one that is not there.
        if let problem = problems.first(where: \.isExhaustion) { return problem }
        let newChannel: NameServers
        do {
            newChannel = try NameServers(loop: loop, list: serverList, limits: limits)
        } catch {
            problems.append(error)
            return error
        }
        newChannel.worked = { [weak self] in self?.turn() }
        channel.close()
        channel = newChannel
        let undelivered = answered.map(\.request) + flying + late + waiting.takeAll()
        answered = []
        flying = []
        late = []
        for request in undelivered where request.completion != nil { place(request) }
        startWaiting()
        return nil
    }

    /// The configured name servers, in the order of the file; 127.0.0.1 when there are none.
    package var servers: [ScopedAddress] { serverList.servers }

    /// How many names the servers are being asked for, and how many wait for their turn.
    package var load: (inFlight: Int, waiting: Int) { (flying.count, waiting.count) }

    /// Ends everything; completions that were not called yet are dropped. A second call does nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        if let nextTurn { loop.cancel(nextTurn) }
        nextTurn = nil
        channel.close()
        let dropped = flying + late + waiting.takeAll() + answered.map(\.request)
        flying = []
        late = []
        answered = []
        for request in dropped {
            stopWaiting(request)
            request.completion = nil
        }
    }

    // MARK: A request's way

    private func place(_ request: ResolverRequest) {
        stopWaiting(request)
        request.search = nil
        request.round += 1
        request.replies = []
        guard let name = InternationalName.ascii(request.name) else {
            return finish(request, .names(ResolverAnswer(outcome: .badName, source: .literal)))
        }
        request.name = name
        if request.asksForAddresses, let answer = localAnswer(for: request.name) {
            finish(request, .names(answer))
        } else if HostName.isValid(request.name) {
            waiting.append(request)
        } else {
            finish(request, .names(ResolverAnswer(outcome: .badName, source: .literal)))
        }
    }

    private func startWaiting() {
        while flying.count < max(1, limits.namesInFlight), let request = waiting.popFirst() {
            guard request.completion != nil else { continue }
            var search = NameSearch(name: request.name, domains: searchList.domains, dots: searchList.dots)
            let step = search.start()
            request.search = search
            flying.append(request)
            take(step, for: request)
        }
        channel.updateTimer()
        if channel.hasReplies { turnSoon() }
    }

    private func take(_ step: NameSearch.Step, for request: ResolverRequest) {
        switch step {
        case .ask(let candidate):
            request.round += 1
            request.replies = []
            for type in request.types { channel.ask(candidate, type: type, for: request) }
        case .finish(let outcome):
            land(request)
            switch outcome {
            case .noSuchName, .noData:
                // `hosts: dns files`: the file has the last word.
                let isLast = sources.order.last == .hosts && request.asksForAddresses
                let answer =
                    if isLast, let known = hosts.addresses(of: request.name) {
                        ResolverAnswer(outcome: .addresses(known), source: .hosts)
                    } else {
                        ResolverAnswer(outcome: outcome, source: .servers)
                    }
                finish(request, .names(answer))
            default:
                let missing = QuestionReply.missing(in: request.replies, isComplete: isComplete(request))
                finish(request, .names(ResolverAnswer(outcome: outcome, source: .servers, missing: missing)))
            }
        }
    }

    private func isComplete(_ request: ResolverRequest) -> Bool { request.replies.count == request.types.count }

    /// Takes a request out of those in flight: replies that still come for it are of no use.
    private func land(_ request: ResolverRequest) {
        stopWaiting(request)
        request.search = nil
        flying.removeAll { $0 === request }
        late.removeAll { $0 === request }
    }

    private func stopWaiting(_ request: ResolverRequest) {
        if let patience = request.patience { loop.cancel(patience) }
        request.patience = nil
    }

    /// The other family's answer does not come: a name that does not exist needs none, addresses are reported without it.
    private func patienceEnded(_ request: ResolverRequest) {
        request.patience = nil
        guard request.completion != nil, request.search != nil, !isComplete(request) else { return }
        let outcome = QuestionReply.combine(request.replies, limit: limits.addresses)
        guard case .addresses = outcome else { return advance(request, after: outcome) }
        // A server that never answers about one family would otherwise hold all places.
        flying.removeAll { $0 === request }
        late.append(request)
        startWaiting()
        guard let early = request.early else { return }
        request.early = nil
        let missing = QuestionReply.missing(in: request.replies, isComplete: false)
        early(ResolverAnswer(outcome: outcome, source: .servers, missing: missing))
    }

    private func advance(_ request: ResolverRequest, after outcome: ResolverAnswer.Outcome) {
        guard let step = request.search?.advance(after: outcome) else { return }
        if request.completion == nil {
            land(request)
        } else {
            take(step, for: request)
        }
    }

    private func finish(_ request: ResolverRequest, _ answer: Answer) {
        answered.append((request, answer))
        turnSoon()
    }

    func wasCancelled(_ request: ResolverRequest) {
        // Questions that only cancelled requests wait for must not keep sockets and timers. While others are in flight
        // c-ares cannot end one alone; it keeps its place until its answer, so that the servers are not asked more.
        stopWaiting(request)
        let wasLate = late.contains { $0 === request }
        if wasLate { land(request) }
        guard !isClosed, wasLate || flying.contains(where: { $0 === request }), late.isEmpty,
            flying.allSatisfy({ $0.completion == nil }), channel.cancelAll()
        else { return }
        flying = []
        startWaiting()
    }

    private func turnSoon() {
        guard nextTurn == nil, !isClosed else { return }
        nextTurn = loop.schedule(at: 0) { [weak self] in
            self?.nextTurn = nil
            self?.turn()
        }
    }

    /// One round of what came in, then the completions; further rounds are further turns of the loop, so that it does
    /// other things too.
    private func turn() {
        for (request, round, reply) in channel.takeReplies() {
            guard request.search != nil, request.round == round else { continue }
            request.replies.append(reply)
            if case .services(let records) = reply {
                land(request)
                finish(request, .services(records))
            } else if isComplete(request) {
                stopWaiting(request)
                advance(request, after: QuestionReply.combine(request.replies, limit: limits.addresses))
            } else if reply.settlesName, request.completion != nil {
                request.patience = loop.schedule(after: Self.resolutionDelay) { [weak self, weak request] in
                    if let request { self?.patienceEnded(request) }
                }
            }
        }
        startWaiting()
        let batch = answered
        answered = []
        for (request, answer) in batch {
            guard let completion = request.completion else { continue }
            request.completion = nil
            switch (completion, answer) {
            case (.addresses(let take), .names(let answer)): take(answer)
            case (.services(let take), .services(let records)): take(.services(records))
            case (.services(let take), .names(let answer)): take(.failure(answer.outcome))
            case (.addresses, .services): break
            }
        }
    }

    // MARK: What needs no server

    private func localAnswer(for name: String) -> ResolverAnswer? {
        if let literal = AddressLiteral.read(name.utf8) {
            let address = ResolvedAddress(literal, timeToLive: ResolvedAddress.permanent)
            return ResolverAnswer(outcome: .addresses([address]), source: .literal)
        }
        guard HostName.isValid(name) else { return ResolverAnswer(outcome: .badName, source: .literal) }
        let usesHosts = sources.order.contains(.hosts)
        if sources.order.first == .hosts || HostName.isLocalhost(name), usesHosts, let known = hosts.addresses(of: name)
        {
            return ResolverAnswer(outcome: .addresses(known), source: .hosts)
        }
        if HostName.isLocalhost(name) {
            let loopback = [IPAddress(ipv4: 0x7f00_0001), IPAddress(ipv6High: 0, low: 1)]
            return ResolverAnswer(
                outcome: .addresses(
                    loopback.map { ResolvedAddress($0, timeToLive: ResolvedAddress.permanent) }
                ),
                source: .hosts
            )
        }
        return sources.order.contains(.servers) ? nil : ResolverAnswer(outcome: .noSuchName, source: .hosts)
    }

    private func readFiles() {
        problems = []
        if let bytes = contents(of: files.hosts, limit: HostsFile.sizeLimit) { hosts = HostsFile(parsing: bytes) }
        if let bytes = contents(of: files.nameServiceSwitch, limit: Self.sizeLimit) {
            sources = NameSources(parsing: bytes)
        }
        if let bytes = contents(of: files.resolvConf, limit: Self.sizeLimit) {
            searchList = SearchList.system(parsing: bytes)
            serverList = ServerList.system(parsing: bytes)
        }
    }

    /// nil when this machine has no descriptor or memory left: then what was read before stays.
    private func contents(of path: String, limit: Int) -> [UInt8]? {
        do {
            return try FileContents.read(path, limit: limit)
        } catch {
            // A file that is not there says nothing, which is allowed.
            if error.code != ENOENT {
                problems.append(ResolverError(code: .unreadable(error.code), message: error.description))
            }
            return error.isExhaustion ? nil : []
        }
    }
}

/// How long and how much the resolver asks.
package struct ResolverLimits: Sendable, Hashable {
    /// How long the first try waits for an answer, in milliseconds; each further try waits twice as long.
    package var timeout: Int32
    /// How often each server is asked.
    package var tries: Int32
    /// How many names are asked for at once; each is two questions. More than 64 overflowed a server's socket
    /// (linux-paths.md, section 8).
    package var namesInFlight: Int
    /// How many addresses of one name are kept.
    package var addresses: Int
    /// The servers' port, UDP and TCP.
    package var port: UInt16

    /// Creates limits; the defaults are 2 s × 2 tries, 64 names in flight and 1,024 addresses a name.
    package init(
        timeout: Int32 = 2_000,
        tries: Int32 = 2,
        namesInFlight: Int = 64,
        addresses: Int = 1_024,
        port: UInt16 = 53
    ) {
        self.timeout = timeout
        self.tries = tries
        self.namesInFlight = namesInFlight
        self.addresses = addresses
        self.port = port
    }
}

/// Why the resolver cannot work, or works with less than its files say.
package struct ResolverError: Error, Sendable, Hashable {
    /// What kind of failure it is.
    package enum Code: Sendable, Hashable {
        /// c-ares could not make a channel, with its code (`ares.h`): memory, in practice.
        case channel(Int32)
        /// A file is there and cannot be read, with the `errno`; the resolver continues without it.
        case unreadable(Int32)
    }

    /// What kind of failure it is.
    package let code: Code
    /// One line for people.
    package let message: String

    /// Creates an error from its parts.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension ResolverError {
    /// Whether this machine has no descriptor or memory left.
    var isExhaustion: Bool {
        if case .unreadable(let code) = code { SystemError(code: code, operation: "").isExhaustion } else { false }
    }
}

extension ResolverError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
