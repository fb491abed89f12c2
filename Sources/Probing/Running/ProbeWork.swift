// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// One run: name resolution, the addresses, the deadline, the verdict. On the loop's thread.
final class ProbeWork: CancellableWork {
    /// The maximum number of probed addresses.
    static let addressLimit = 64
    /// The delay before the next address is tried in parallel (RFC 8305, section 5).
    static let stagger: UInt64 = 250_000_000

    let request: ProbeRequest
    /// Called once, when the run ends.
    var completion: (ProbeResult) -> Void = { _ in }

    private let policy: TargetPolicy?
    private let loop: EventLoop
    private let resolver: Resolver
    private let services: ProbeServices
    private let makeAttempt: (AttemptContext) -> any ProbeAttempt
    private let begin: UInt64
    private var deadline: UInt64
    private var deadlineTimer: TimerToken?
    /// The remaining turns that a late deadline waits.
    private var turnsLeft: Int?
    private var query: ResolverQuery?
    private var resolveTime: Duration?
    private var lanes: [AddressLane] = []
    private var plan: AddressPlan?
    private var isOver = false

    init(
        _ request: ProbeRequest,
        policy: TargetPolicy?,
        loop: EventLoop,
        resolver: Resolver,
        services: ProbeServices,
        attempt: @escaping (AttemptContext) -> any ProbeAttempt
    ) {
        self.request = request
        self.policy = policy
        self.loop = loop
        self.resolver = resolver
        self.services = services
        makeAttempt = attempt
        begin = loop.clock.now()
        deadline = begin + request.timeout.nanoseconds
    }

    func start() {
        if let refusal = policy?.refusal(of: request) { return fail(refusal.fault(of: "\(request.host)")) }
        deadlineTimer = loop.schedule(at: deadline) { [weak self] in self?.expire() }
        switch request.connectedHost {
        case .address(let address): ask([address])
        case .name(let name):
            query = resolver.resolve(
                name,
                family: request.source?.family ?? request.family.only,
                early: { [weak self] answer in self?.resolvedEarly(answer) },
                completion: { [weak self] answer in self?.resolved(answer) }
            )
        }
    }

    func cancel() {
        end(ProbeResult(outcome: .failure, reason: .cancelled, detail: "cancelled", duration: elapsed))
    }

    // MARK: Steps

    /// Starts with one family's addresses while the other's are awaited.
    private func resolvedEarly(_ answer: ResolverAnswer) {
        guard case .addresses(let found) = answer.outcome else { return }
        do throws(ProbeFault) {
            let plan = try AddressPlan(found.map(\.address), unanswered: answer.missing, for: request)
            resolveTime = elapsed
            take(plan)
        } catch {
            // The other family may have what is wanted.
            if error.reason != .nameWithoutAddress { fail(error) }
        }
    }

    private func resolved(_ answer: ResolverAnswer) {
        query = nil
        if plan == nil { resolveTime = elapsed }
        switch answer.outcome {
        case .addresses(let found): ask(found.map(\.address), unanswered: answer.missing)
        case .noData: fail(AddressPlan.fault(of: request))
        default: fail(ResolverReason.fault(of: answer.outcome, name: request.connectedHost.description))
        }
    }

    private func ask(_ addresses: [IPAddress], unanswered: ResolverAnswer.MissingFamily? = nil) {
        do throws(ProbeFault) {
            take(try AddressPlan(addresses, unanswered: unanswered, for: request))
        } catch {
            fail(error)
        }
    }

    /// Takes a plan up: all of it, or what it has beyond an early one.
    private func take(_ new: AddressPlan) {
        // The checked addresses are used for connecting: the name is not resolved again.
        if let refusal = policy?.refusal(of: new.lanes.joined()) {
            return fail(refusal.fault(of: "\(request.connectedHost)"))
        }
        let early = plan
        plan = new
        let known = Set(early?.lanes.flatMap { $0 } ?? [])
        let further = new.lanes.map { $0.filter { !known.contains($0) } }.filter { !$0.isEmpty }
        if early != nil, !request.needsAllAddresses {
            // The first address was chosen already; alternatives of any family share one lane.
            if request.addresses == .any { lanes.first?.append(further.flatMap { $0 }) }
            return laneEnded()
        }
        // Create all lanes before starting the first: one that ends at once must not end the run.
        let lanes = further.map { candidates in
            AddressLane(candidates, loop: loop, stagger: Self.stagger) { [unowned self] address, completion in
                attempt(address, completion)
            }
        }
        self.lanes += lanes
        for lane in lanes { lane.start { [weak self] in self?.laneEnded() } }
        laneEnded()
    }

    private func attempt(_ address: IPAddress, _ completion: @escaping (AddressResult) -> Void) -> any ProbeAttempt {
        let context = AttemptContext(
            loop: loop,
            request: request,
            policy: policy,
            address: address,
            origin: ProbeOrigin(
                source: request.source,
                interface: request.interface,
                mark: request.mark,
                segmentLimit: request.segmentLimit,
                opened: services.opened
            ),
            deadline: deadline,
            postpone: { [weak self] in self?.postpone($0) },
            completion: completion
        )
        return makeAttempt(context)
    }

    private func laneEnded() {
        guard !isOver, let plan, lanes.allSatisfy(\.isDecided) else { return }
        // Addresses that are still awaited may change the result.
        let failed = lanes.contains(where: \.hasFailed)
        if query != nil, request.needsAllAddresses || failed && request.addresses == .any { return }
        var all: [AddressResult] = []
        let decisive = lanes.compactMap { $0.append(to: &all) }
        end(
            ProbeVerdict.result(
                of: decisive,
                all: all,
                plan: plan,
                request: request,
                duration: elapsed,
                resolveTime: resolveTime
            )
        )
    }

    private func postpone(_ time: Duration) {
        guard !isOver else { return }
        deadline = loop.clock.now() + time.nanoseconds
        turnsLeft = nil
        if let deadlineTimer { loop.cancel(deadlineTimer) }
        deadlineTimer = loop.schedule(at: deadline) { [weak self] in self?.expire() }
    }

    /// The lateness of a deadline above which the loop, not the target, counts as slow.
    private static let lateness: UInt64 = 50_000_000
    /// The turns that the loop then has to read replies that arrived in time.
    private static let lateTurns = 4

    /// The loop fires timers before it checks sockets. After a pause, for example of a frozen machine, replies that
    /// reached the kernel in time are read first.
    private func expire() {
        deadlineTimer = nil
        if turnsLeft == nil { turnsLeft = loop.clock.now() - deadline > Self.lateness ? Self.lateTurns : 0 }
        if let left = turnsLeft, left > 0 {
            turnsLeft = left - 1
            deadlineTimer = loop.schedule(at: 0) { [weak self] in self?.expire() }
            return
        }
        guard plan != nil else {
            let detail = "looking up \(request.connectedHost) took longer than \(request.timeout.milliseconds)"
            return fail(ProbeFault(reason: .nameTimeout, detail: detail))
        }
        query?.cancel()
        query = nil
        for lane in lanes { lane.expire() }
        laneEnded()
    }

    private func fail(_ fault: ProbeFault) {
        var result = ProbeResult(outcome: .failure, reason: fault.reason, detail: fault.detail, duration: elapsed)
        result.phases[.resolve] = resolveTime
        result.packetError = fault.packetError
        end(result)
    }

    private func end(_ result: ProbeResult) {
        guard !isOver else { return }
        isOver = true
        if let deadlineTimer { loop.cancel(deadlineTimer) }
        deadlineTimer = nil
        query?.cancel()
        query = nil
        for lane in lanes { lane.cancel() }
        let completion = completion
        self.completion = { _ in }
        completion(result)
    }

    private var elapsed: Duration { .nanoseconds(loop.clock.now() - begin) }
}

/// Maps the resolver's outcomes to reasons.
enum ResolverReason {
    static func fault(of outcome: ResolverAnswer.Outcome, name: String) -> ProbeFault {
        switch outcome {
        case .addresses: ProbeFault(reason: .nameError, detail: "\(name) has only unusable addresses")
        case .noSuchName: ProbeFault(reason: .nameNotFound, detail: "the name \(name) does not exist")
        case .noData: ProbeFault(reason: .nameWithoutAddress, detail: "\(name) has no address")
        case .timedOut: ProbeFault(reason: .nameTimeout, detail: "no name server answered the query for \(name)")
        case .serverFailure: ProbeFault(reason: .nameServerFailure, detail: "the name servers failed on \(name)")
        case .refused: ProbeFault(reason: .nameServerRefused, detail: "the name servers refused to look up \(name)")
        case .unreachable: ProbeFault(reason: .nameServerUnreachable, detail: "no name server is reachable")
        case .exhausted(let error): ProbeFault(error, at: .setup)
        case .badName: ProbeFault(reason: .nameInvalid, detail: "\(PrintableBytes.quote(name.utf8)) is not a name")
        case .failed(let code): ProbeFault(reason: .nameError, detail: "looking up \(name) failed, c-ares code \(code)")
        }
    }
}
