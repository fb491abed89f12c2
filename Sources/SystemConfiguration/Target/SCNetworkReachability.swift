// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CoreFoundation
internal import Dispatch
public import NetworkPaths
internal import Synchronization

/// A network target and the interest in its reachability: Apple's `SCNetworkReachability`, for Linux.
///
/// Made by the `SCNetworkReachabilityCreate…` functions, used through the other `SCNetworkReachability…` functions;
/// source written for Apple's systems compiles unchanged. <doc:DifferencesFromApple> lists what is different.
///
/// **Life.** A scheduled target is kept alive until it is unscheduled, whatever its owner does: letting go of the last
/// reference while it is scheduled changes nothing, call-outs continue. An unscheduled target ends with its last reference
/// and releases its callback's context then.
///
/// **Threads.** All functions may be called from any thread. Unscheduling waits for work of the path engine on this
/// target, never for a call-out; a call-out that began before may still be running when it returns, none begins later.
public final class SCNetworkReachability: Sendable {
    private struct State {
        var registration: CallbackRegistration?
        var schedule: Schedule?
    }

    private enum Scheduling {
        case began(Schedule.Token)
        case extended
        case refused
    }

    /// What is asked of the engine.
    public let request: PathRequest
    private let hub: SharedPathEngine
    private let state = Mutex(State())

    /// Creates a target from a request, an addition for Linux: with a firewall mark, one family's default path, or an
    /// engine in another network namespace.
    ///
    /// - Parameters:
    ///   - request: The target and the circumstances.
    ///   - hub: The engine to stand on; the process's own unless given.
    public init(_ request: PathRequest, hub: SharedPathEngine = .shared) {
        self.request = request
        self.hub = hub
    }

    // MARK: Requests

    /// The last known flags while scheduled, a fresh evaluation without DNS traffic otherwise (R52).
    ///
    /// - Returns: The flags, or the status code that says why there are none.
    func flags() -> Result<SCNetworkReachabilityFlags, StatusError> {
        let known = state.withLock { state -> NetworkPath? in
            // The owed call-out is made now (R56).
            state.schedule?.isCallbackOwed = false
            return state.schedule?.known
        }
        do {
            let path = try known ?? hub.evaluate(request)
            return path.isVerdict ? .success(path.publicFlags) : .failure(StatusError(kSCStatusReachabilityUnknown))
        } catch {
            return .failure(StatusError(kSCStatusReachabilityUnknown))
        }
    }

    // MARK: The callback

    /// Puts a callback in the place of the present one, whose context is released at once (R64).
    func setCallback(_ registration: CallbackRegistration?) {
        let old = state.withLock { state in
            defer { state.registration = registration }
            return state.registration
        }
        old?.release()
    }

    // MARK: Scheduling

    func schedule(on queue: DispatchQueue) -> StatusError? {
        let token = Schedule.Token()
        return begin { state, baseline in
            guard state.schedule == nil else { return .refused }
            state.schedule = makeSchedule(token, .queue(queue), baseline)
            return .began(token)
        }
    }

    func schedule(on place: RunLoopEntry) -> StatusError? {
        let token = Schedule.Token()
        guard let loops = RunLoopSchedule(perform: { [self] in callOut(token, nil) }) else {
            return StatusError(kSCStatusFailed)
        }
        var isUsed = false
        let error = begin { state, baseline in
            switch state.schedule?.place {
            case .queue: return .refused
            case .runLoops(var present):
                present.add(place)
                state.schedule?.place = .runLoops(present)
                return .extended
            case nil:
                var loops = loops
                loops.add(place)
                state.schedule = makeSchedule(token, .runLoops(loops), baseline)
                isUsed = true
                return .began(token)
            }
        }
        // The source refers to the target and the target to the source: unused, it must be broken up here.
        if !isUsed { loops.invalidate() }
        return error
    }

    /// Takes the target from its queue.
    func unscheduleFromQueue() -> StatusError? {
        let ended = state.withLock { state -> Schedule? in
            guard case .queue = state.schedule?.place else { return nil }
            defer { state.schedule = nil }
            return state.schedule
        }
        guard let ended else { return StatusError(kSCStatusInvalidArgument) }
        end(ended)
        return nil
    }

    /// Takes the target from a run loop's mode; a pair that it is not scheduled on is ignored, as on Apple's systems.
    func unschedule(from place: RunLoopEntry) -> StatusError? {
        let (isScheduled, ended) = state.withLock { state -> (Bool, Schedule?) in
            guard case .runLoops(var loops) = state.schedule?.place else { return (false, nil) }
            loops.remove(place)
            state.schedule?.place = .runLoops(loops)
            guard loops.isEmpty else { return (true, nil) }
            defer { state.schedule = nil }
            return (true, state.schedule)
        }
        guard isScheduled else { return StatusError(kSCStatusInvalidArgument) }
        if let ended { end(ended) }
        return nil
    }

    private func makeSchedule(_ token: Schedule.Token, _ place: Schedule.Place, _ baseline: NetworkPath) -> Schedule {
        var isName = false
        if case .name = request.target { isName = true }
        return Schedule(token: token, place: place, known: baseline, isCallbackOwed: isName)
    }

    /// Schedules: the state now is what later verdicts are compared with (R57), so it is asked for before the watch
    /// begins; changes in between are reported.
    private func begin(_ enter: (inout State, NetworkPath) -> Scheduling) -> StatusError? {
        do {
            let baseline = try hub.evaluate(request)
            switch state.withLock({ enter(&$0, baseline) }) {
            case .refused: return StatusError(kSCStatusInvalidArgument)
            case .extended: return nil
            case .began(let token):
                let subscription = try subscribe(token)
                let isCurrent = state.withLock { state in
                    guard state.schedule?.token === token else { return false }
                    state.schedule?.subscription = subscription
                    return true
                }
                // Unscheduled meanwhile by another thread, which found no subscription to end.
                if !isCurrent { subscription.cancel() }
                return nil
            }
        } catch {
            return StatusError(kSCStatusFailed)
        }
    }

    /// The closure's reference to the target is what keeps it alive while it is scheduled.
    private func subscribe(_ token: Schedule.Token) throws(PathEngineError) -> PathSubscription {
        do {
            return try hub.subscribe(to: request) { [self] update in take(update.path, token) }
        } catch {
            let ended = state.withLock { state -> Schedule? in
                guard state.schedule?.token === token else { return nil }
                defer { state.schedule = nil }
                return state.schedule
            }
            if let ended { end(ended) }
            throw error
        }
    }

    private func end(_ schedule: Schedule) {
        schedule.subscription?.cancel()
        if case .runLoops(let loops) = schedule.place { loops.invalidate() }
    }

    // MARK: Calling out

    /// Takes in a verdict, on the engine's thread.
    private func take(_ path: NetworkPath, _ token: Schedule.Token) {
        let place = state.withLock { state -> Schedule.Place? in
            guard state.schedule?.token === token, state.schedule?.take(path) == true else { return nil }
            return state.schedule?.place
        }
        switch place {
        case .queue(let queue): queue.async { [self] in callOut(token, path.publicFlags) }
        case .runLoops(let loops): loops.signal()
        case nil: break
        }
    }

    /// Calls the client, on its queue or run loop.
    ///
    /// - Parameter flags: Those of one update on a queue (R62); nil on a run loop for the state now (R61).
    private func callOut(_ token: Schedule.Token, _ flags: SCNetworkReachabilityFlags?) {
        let call = state.withLock { state -> (CallbackRegistration, SCNetworkReachabilityFlags)? in
            // Unscheduled since it was asked for (R60), or scheduled anew.
            guard let schedule = state.schedule, schedule.token === token else { return nil }
            guard let registration = state.registration, flags != nil || schedule.known.isVerdict else { return nil }
            registration.pin()
            return (registration, flags ?? schedule.known.publicFlags)
        }
        guard let (registration, flags) = call else { return }
        registration.call(self, flags)
    }
}

extension SCNetworkReachability: Hashable {
    /// Identity, as on Apple's systems: two targets for the same address are two.
    public static func == (left: SCNetworkReachability, right: SCNetworkReachability) -> Bool {
        left === right
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension SCNetworkReachability: CustomStringConvertible {
    /// The target, whether it is scheduled, its last known flags, and the context's own description.
    public var description: String {
        let (schedule, registration) = state.withLock { state in
            state.registration?.pin()
            return (state.schedule, state.registration)
        }
        var parts = ["target = \(request.target)"]
        if let known = schedule?.known { parts.append("scheduled, flags = \(known.publicFlags.text)") }
        if let words = registration?.describe() { parts.append("context = \(words)") }
        return "<SCNetworkReachability> {\(parts.joined(separator: ", "))}"
    }
}
