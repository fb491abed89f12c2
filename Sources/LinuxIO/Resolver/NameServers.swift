// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The configured name servers: the one that answered last is asked first.
///
/// c-ares 1.18 asks in the order of the file and waits for a dead server each time, and it cannot change the order while a question
/// is open. So another order is another channel; the one before lives until its questions end. While the first server of the file is
/// not the first one asked, it gets a question beside others once a minute, and is the first again after its answer.
///
/// On the loop's thread.
final class NameServers {
    /// Called after c-ares has worked, with c-ares left again.
    var worked: () -> Void = {}

    private let loop: EventLoop
    private let list: ServerList
    private let limits: ResolverLimits
    /// The place in the list of the server that is asked first.
    private var first = 0
    private var current: ResolverChannel
    /// Channels of earlier orders with questions open.
    private var former: [ResolverChannel] = []
    /// Asks the servers of the list before ``first``.
    private var trial: ResolverChannel?
    private var nextTrial: UInt64 = 0

    private static let trialInterval: UInt64 = 60_000_000_000

    /// - Throws: ``ResolverError`` when c-ares has no memory.
    init(loop: EventLoop, list: ServerList, limits: ResolverLimits) throws(ResolverError) {
        self.loop = loop
        self.list = list
        var limits = limits
        limits.timeout = list.timeout ?? limits.timeout
        limits.tries = list.tries ?? limits.tries
        self.limits = limits
        current = try ResolverChannel(loop: loop, servers: list.servers, rotates: list.rotates, limits: limits)
        follow(current)
    }

    /// Ends every question without a reply.
    func close() {
        worked = {}
        for channel in [current, trial].compactMap({ $0 }) + former { channel.close() }
        former = []
        trial = nil
    }

    /// Asks the servers for the records of one type of one name (``ResolverChannel/ask(_:type:for:)``).
    func ask(_ name: String, type: Int32, for request: ResolverRequest) {
        current.ask(name, type: type, for: request)
        startTrial(name, type)
    }

    /// Ends every question without a reply. Of several servers the first may be dead, which only the end of a question shows: then
    /// the questions go on.
    ///
    /// - Returns: Whether the questions were ended.
    func cancelAll() -> Bool {
        guard list.servers.count == 1 else { return false }
        current.cancelAll()
        return true
    }

    /// The replies since the last call.
    func takeReplies() -> [ResolverChannel.Reply] { current.takeReplies() + former.flatMap { $0.takeReplies() } }

    /// Whether ``takeReplies()`` would give any.
    var hasReplies: Bool { current.hasReplies || former.contains(where: \.hasReplies) }

    /// To be called after questions were asked.
    func updateTimer() {
        current.updateTimer()
        trial?.updateTimer()
    }

    // MARK: The order

    private func took(_ channel: ResolverChannel) {
        if channel === current, let place = channel.successor, !list.rotates { use(order[place]) }
        worked()
        former.removeAll { channel in
            guard channel.isIdle else { return false }
            channel.close()
            return true
        }
    }

    private func follow(_ channel: ResolverChannel) {
        channel.worked = { [weak self, weak channel] in
            if let channel { self?.took(channel) }
        }
    }

    /// The places in the list, in the order in which they are asked.
    private var order: [Int] { [first] + list.servers.indices.filter { $0 != first } }

    /// Puts a server first; without the memory for it the order stays.
    private func use(_ place: Int) {
        let before = first
        first = place
        nextTrial = loop.clock.now() + Self.trialInterval
        let servers = order.map { list.servers[$0] }
        do throws(ResolverError) {
            let channel = try ResolverChannel(loop: loop, servers: servers, rotates: false, limits: limits)
            follow(channel)
            former.append(current)
            current = channel
        } catch {
            first = before
        }
    }

    private func startTrial(_ name: String, _ type: Int32) {
        guard first > 0, trial == nil, loop.clock.now() >= nextTrial else { return }
        nextTrial = loop.clock.now() + Self.trialInterval
        var limits = limits
        limits.tries = 1
        let servers = Array(list.servers[..<first])
        guard let channel = try? ResolverChannel(loop: loop, servers: servers, rotates: false, limits: limits) else {
            return
        }
        channel.worked = { [weak self] in self?.trialWorked() }
        trial = channel
        channel.ask(name, type: type, for: ResolverRequest(name: name, completion: .addresses({ _ in })))
    }

    private func trialWorked() {
        guard let channel = trial else { return }
        let answering = channel.lastAnswering
        guard answering != nil || channel.isIdle else { return }
        trial = nil
        channel.close()
        if let answering { use(answering) }
    }
}
