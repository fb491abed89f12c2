// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import LinuxIO
internal import Synchronization

/// The engine's state and its passes; everything here runs on the engine's loop.
///
/// The life of a change: the event socket is drained into ``Hints``; when the pace allows, a pass asks the kernel
/// about the targets that the hints may touch, compares, and notifies the observer; ten milliseconds after the last pass
/// the same targets are asked once more, because an event can overtake the change it announces (linux-paths 3.4).
final class EngineCore {
    /// Targets evaluated and delivered at a time, so that a long pass delivers as it goes: few at first, so that the first
    /// are delivered soon, then twice as many each time up to where larger chunks save nothing.
    private static let chunks = 32...256
    private static let confirmDelay: UInt64 = 10_000_000
    /// Messages read before other work gets its turn.
    private static let drainLimit = 4096

    private let loop: EventLoop
    private let observer: any PathEngineObserver
    private let events: EventSocket
    private let dumps: NetlinkSocket
    private let routeLookup: RouteLookup
    private let statistics: SharedStatistics
    private var options: PathEngineOptions
    private var links: LinkTable
    private var targets = TargetTable()
    private var names: NameTable?
    private var files: ContentsWatcher?
    private var environment = NetworkEnvironment()
    private var formerGateways = FormerGateways()
    private var watch: WatchToken?
    /// Those that observe the interfaces; without any, nothing is asked about them.
    private var interfaceObservers: Set<PathID> = []
    private var interfacePaths: InterfacePaths?

    private var hints = Hints()
    private var unconfirmed = Hints()
    private var pace = PassRateLimit()
    private var passTimer: TimerToken?
    private var confirmTimer: TimerToken?
    private var expiry: (deadline: UInt64, timer: TimerToken)?

    init(
        loop: EventLoop,
        options: PathEngineOptions,
        observer: any PathEngineObserver,
        statistics: SharedStatistics
    ) throws(PathEngineError) {
        self.loop = loop
        self.options = options
        self.observer = observer
        self.statistics = statistics
        let sysfs = Sysfs(root: options.sysfsRoot)
        links = LinkTable(classifier: InterfaceClassifier(rules: options.interfaceRules, sysfs: sysfs))
        // The subscription comes first: what happens during the dump is then queued, not lost.
        events = try EventSocket(receiveBuffer: options.receiveBuffer)
        do {
            dumps = try NetlinkSocket()
            routeLookup = try RouteLookup()
            _ = try links.reload(from: dumps)
            watch = try loop.watch(events.socket.descriptor.number, for: .readable) { [weak self] _ in self?.drain() }
        } catch {
            throw PathEngineError.system(error)
        }
        statistics.update { statistics in
            statistics.receiveBuffer = events.receiveBuffer
            statistics.groups = events.groups
            statistics.hasSysfs = sysfs.isAvailable
            statistics.groupNames = EventSocket.groupNames
            statistics.namespaceInode = NetworkNamespaceIdentity.inode
            statistics.namespaceName = NetworkNamespaceIdentity.name
        }
        _ = findTunnelCarriers()
        lookForLifetimes()
    }

    /// Begins to resolve names and to watch the resolver's files. Once, before the first target.
    func startResolving() throws(PathEngineError) {
        do {
            files = try ContentsWatcher(loop: loop, paths: options.resolverFiles.all) { [weak self] in
                self?.resolverDidChange()
            }
            let service = try SystemNameService(loop: loop, files: options.resolverFiles)
            names = NameTable(loop: loop, service: service) { [weak self] ids in
                self?.evaluate(ids, ChangeTrigger(.resolution))
                self?.followHints()
            }
        } catch let error as SystemError {
            throw PathEngineError.system(error)
        } catch {
            throw PathEngineError(code: .system, message: "names cannot be resolved: \(error)")
        }
        refreshEnvironment()
    }

    func close() {
        for timer in [passTimer, confirmTimer, expiry?.timer].compactMap({ $0 }) { loop.cancel(timer) }
        if let watch { loop.unwatch(watch) }
        names?.close()
        files?.close()
        watch = nil
        names = nil
        files = nil
        targets = TargetTable()
        interfaceObservers = []
    }

    // MARK: Requests

    func add(_ requests: [(id: PathID, request: PathRequest)]) {
        for (id, request) in requests {
            var record = TargetRecord(id: id, request: request)
            if case .name(let name) = request.target { record.name = names?.add(name, for: id) }
            targets.append(record)
        }
        evaluate(requests.map(\.id), ChangeTrigger(.initial))
        followHints()
    }

    func remove(_ ids: [PathID]) {
        for id in ids where targets.remove(id)?.name != nil { names?.remove(id) }
    }

    func evaluate(_ requests: [PathRequest]) -> [NetworkPath] {
        evaluator.evaluate(requests.map { PathEvaluator.Subject(request: $0, resolution: nil) })
    }

    func apply(_ options: PathEngineOptions) {
        self.options = options
        let sysfs = Sysfs(root: options.sysfsRoot)
        links.reclassify(by: InterfaceClassifier(rules: options.interfaceRules, sysfs: sysfs))
        hints.addEverything(ChangeTrigger(.settings))
        pass()
    }

    /// The contents of the resolver's files changed.
    private func resolverDidChange() {
        names?.reload()
        refreshEnvironment()
        refreshInterfacePaths()
    }

    // MARK: Events

    private func drain() {
        readEvents()
        followHints()
    }

    private func followHints() {
        if !hints.isEmpty { schedulePass() }
    }

    /// Reads the messages that are there into the hints; the caller schedules a pass.
    private func readEvents() {
        var read = 0
        do {
            while read < Self.drainLimit {
                let hadOne = try events.socket.receive(waiting: false) { bytes in
                    NetlinkMessage.forEach(in: bytes) { message in
                        read += 1
                        HintReader.read(message, links: &links, hints: &hints)
                    }
                }
                guard hadOne else { break }
            }
        } catch {
            // ENOBUFS is the ordinary case; whatever else a socket says, the answer is to look at everything again.
            overrun()
        }
        if read > 0 {
            var now = timespec()
            _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
            statistics.update { statistics in
                statistics.messages += UInt64(read)
                statistics.lastMessage = Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
            }
        }
        if let rest = hints.takeSoonestEnd() { expectEnd(after: rest) }
    }

    private func overrun() {
        statistics.update { $0.overruns += 1 }
        hints.addEverything(ChangeTrigger(.overrun))
        lookForLifetimes()
        do {
            _ = try links.reload(from: dumps)
        } catch {
            // The table stays as it was; the next link message or the confirming pass mends it.
            unconfirmed.addEverything(ChangeTrigger(.overrun))
        }
    }

    private func schedulePass() {
        let now = loop.clock.now()
        let due = pace.hint(at: now)
        if let passTimer { loop.cancel(passTimer) }
        passTimer = nil
        if due <= now {
            pass()
        } else {
            passTimer = loop.schedule(at: due) { [weak self] in self?.pass() }
        }
    }

    // MARK: Passes

    private func pass() {
        if let passTimer { loop.cancel(passTimer) }
        passTimer = nil
        lookAfterLosingLinks()
        let current = hints
        hints = Hints()
        unconfirmed.formUnion(current)
        run(current)
        names?.networkDidChange()
        pace.passed(at: loop.clock.now())
        scheduleConfirmation()
        followHints()
    }

    private func scheduleConfirmation() {
        if let confirmTimer { loop.cancel(confirmTimer) }
        confirmTimer = loop.schedule(after: Self.confirmDelay) { [weak self] in
            guard let self else { return }
            confirmTimer = nil
            let current = unconfirmed
            unconfirmed = Hints()
            run(current)
            followHints()
        }
    }

    /// A link that goes down sends its routes' and IPv6 addresses' farewells before its own. Asking for the link now
    /// names the true cause, and waits for it where the kernel is still at work.
    private func lookAfterLosingLinks() {
        guard hints.trigger?.kind == .route || hints.trigger?.kind == .address else { return }
        for index in hints.losingInterfaces where links[index] != nil {
            do {
                guard let name = try links.refresh(index, from: dumps) else { continue }
                hints.addEverything(ChangeTrigger(.link, interface: name))
            } catch {
                // Only the name of the cause is at stake; the link's own message follows.
                return
            }
        }
    }

    private func run(_ hints: Hints) {
        guard let trigger = hints.trigger else { return }
        var hints = hints
        if findTunnelCarriers() { hints.addEverything(trigger) }
        statistics.update { $0.passes += 1 }
        evaluate(targets.affected(by: hints), trigger)
        refreshEnvironment()
        refreshInterfacePaths()
    }

    /// Finds anew which tunnels are carried by a modem; any route can change that.
    ///
    /// - Returns: Whether something else came out than before.
    private func findTunnelCarriers() -> Bool {
        links.setTunnelsOverModems(
            TunnelCarriers(routeLookup: routeLookup, links: links, mark: options.mark).overModems()
        )
    }

    private var evaluator: PathEvaluator {
        PathEvaluator(
            evaluate: AddressEvaluator(
                routeLookup: routeLookup,
                links: links,
                connections: options.connections,
                defaultMark: options.mark
            )
        )
    }

    /// Evaluates targets, compares, stores and delivers, a chunk at a time. An observer may add and remove targets.
    private func evaluate(_ ids: [PathID], _ trigger: ChangeTrigger) {
        let evaluator = evaluator
        var start = 0
        var length = Self.chunks.lowerBound
        while start < ids.count {
            let end = min(start + length, ids.count)
            length = min(length * 2, Self.chunks.upperBound)
            let records = ids[start..<end].compactMap { targets[$0] }
            start = end
            let paths = evaluator.evaluate(
                records.map {
                    PathEvaluator.Subject(
                        request: $0.request,
                        resolution: $0.name?.resolution,
                        lastInterface: $0.path?.interface?.index ?? 0
                    )
                }
            )
            statistics.update { $0.verdicts += UInt64(records.count) }
            // The answers may already show a change whose message came meanwhile: then that is the cause to name.
            readEvents()
            let cause = hints.trigger.map { $0.isWeightier(than: trigger) ? $0 : trigger } ?? trigger
            let updates = zip(records, paths).compactMap { update($0, $1, $0.path == nil ? trigger : cause) }
            guard !updates.isEmpty else { continue }
            names?.pathsDidChange(updates.filter(Self.isNewWay).map(\.id))
            observer.pathsDidChange(updates)
        }
    }

    /// Whether a target is reached by another way than before, or again: the answers of that way's name servers may be others (R58).
    /// Without a path there is nothing to query.
    private static func isNewWay(_ update: PathUpdate) -> Bool {
        guard let previous = update.previous, update.trigger.kind != .resolution, update.path.status == .satisfied
        else { return false }
        return previous.status != .satisfied || previous.generation != update.path.generation
    }

    private func update(_ record: TargetRecord, _ judged: NetworkPath, _ trigger: ChangeTrigger) -> PathUpdate? {
        var path = judged
        if let before = record.path {
            let isSameWay =
                before.interface?.index == path.interface?.index && before.interface?.name == path.interface?.name
                && before.gateway == path.gateway && before.sourceAddress == path.sourceAddress
            path.generation = isSameWay ? before.generation : before.generation &+ 1
            guard path != before else { return nil }
        } else {
            path.generation = 1
        }
        targets.setPath(path, of: record.id)
        return PathUpdate(id: record.id, path: path, previous: record.path, trigger: trigger)
    }

    // MARK: The environment

    /// Reads the name servers and the default paths, and delivers changes.
    private func refreshEnvironment() {
        let evaluator = evaluator
        var found = NetworkEnvironment(resolvers: names?.servers ?? [])
        let resolvers = evaluator.evaluate(
            found.resolvers.map { server in
                let request = PathRequest(.address(server.address, interface: server.interface))
                return PathEvaluator.Subject(request: request, resolution: nil)
            }
        )
        found.supportsDNS = resolvers.contains { $0.status == .satisfied }
        for family in AddressFamily.allCases {
            let path = evaluator.evaluate.evaluateDefault(family)
            if let gateway = path.gateway {
                found.gateways.append(DefaultGateway(gateway, interface: links[path.interface]?.name))
            }
            if path.rank > 0 { found.families.insert(family) }
        }
        formerGateways.follow(found.gateways, after: environment.gateways)
        found.lostGateways = formerGateways.faults(links, evaluator)
        guard found != environment else { return }
        environment = found
        statistics.set(found)
        observer.environmentDidChange(found)
    }
}

// MARK: Interfaces

extension EngineCore {
    /// Looks at the interfaces now, without watching them.
    func evaluateInterfacePaths() -> InterfacePaths {
        InterfaceSurvey(evaluate: evaluator.evaluate).look(supportsDNS: environment.supportsDNS)
    }

    /// Begins to watch the interfaces for an observer, which gets them as they are.
    func watchInterfacePaths(_ id: PathID) {
        let paths = interfaceObservers.isEmpty ? evaluateInterfacePaths() : interfacePaths ?? evaluateInterfacePaths()
        interfaceObservers.insert(id)
        interfacePaths = paths
        observer.interfacePathsDidChange(paths, for: [id])
    }

    func unwatchInterfacePaths(_ id: PathID) {
        interfaceObservers.remove(id)
    }

    /// Looks at the interfaces again, and delivers changes.
    private func refreshInterfacePaths() {
        guard !interfaceObservers.isEmpty else { return }
        let found = evaluateInterfacePaths()
        guard found != interfacePaths else { return }
        interfacePaths = found
        observer.interfacePathsDidChange(found, for: Array(interfaceObservers))
    }
}

extension EngineCore {
    /// Looks for the first of all routes to end.
    private func lookForLifetimes() {
        do {
            if let rest = try RouteLifetime.soonest(from: dumps) { expectEnd(after: rest) }
        } catch {
            // The kernel's own message comes anyway, only late.
            return
        }
    }

    /// Looks again when a route's lifetime ends (``RouteLifetime``); a lifetime that was extended costs one idle look.
    private func expectEnd(after rest: UInt64) {
        let deadline = loop.clock.now() + rest
        if let expiry {
            guard deadline < expiry.deadline else { return }
            loop.cancel(expiry.timer)
        }
        let timer = loop.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            expiry = nil
            lookForLifetimes()
            hints.add(family: .ipv6, ChangeTrigger(.routeExpiry))
            schedulePass()
        }
        expiry = (deadline, timer)
    }
}

/// When to make the next pass: the first hint after quiet at once; while passes come faster than 100 a second,
/// after 5 ms without a further hint and at most 50 ms after the first (linux-paths section 6). Pure.
struct PassRateLimit {
    private static let millisecond: UInt64 = 1_000_000
    private static let quickInterval = 10 * millisecond
    private static let quiet = 5 * millisecond
    private static let patience = 50 * millisecond

    private var lastPass: UInt64?
    private var firstPending: UInt64?

    /// The time of the pass that a hint at `now` asks for, in nanoseconds; `now` itself means at once.
    mutating func hint(at now: UInt64) -> UInt64 {
        let first = firstPending ?? now
        firstPending = first
        if first == now, now >= (lastPass.map { $0 + Self.quickInterval } ?? 0) { return now }
        return max(min(now + Self.quiet, first + Self.patience), now)
    }

    /// A pass ended.
    mutating func passed(at now: UInt64) {
        lastPass = now
        firstPending = nil
    }
}
