// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
package import Probing

/// Why a target is not up: a stable code, a sentence for people, and where the fault lies.
package struct StateReason: Sendable, Hashable {
    private enum Ground: Sendable, Hashable {
        /// No verdict of the kernel yet; `isResolving`: a name's first answer is awaited, and nothing is said before it.
        case notEvaluated(isResolving: Bool)
        case path(UnsatisfiedReason, interface: String?)
        case notProbed(isFirst: Bool, cause: StateCause?)
        /// A target that calls by itself has time to do so.
        case heartbeatAwaited(isFirst: Bool)
        case probe(Diagnosis)
        case parent(String)
        case paused
        case maintenance
    }

    private let ground: Ground

    /// The reason of a target; nil while it is up.
    init?(path: NetworkPath?, state: TargetState, evaluation: TargetEvaluation?) {
        switch evaluation?.basis {
        case .paused: self.init(.paused)
        case .maintenance: self.init(.maintenance)
        case .parent: self.init(.parent(evaluation?.parent ?? ""))
        case .probe, .awaited:
            if let diagnosis = evaluation?.diagnosis {
                self.init(.probe(diagnosis))
            } else if state == .up {
                return nil
            } else if let evaluation, evaluation.isHeartbeat, path?.reachability.isReachable == true {
                self.init(.heartbeatAwaited(isFirst: evaluation.lastReport == nil))
            } else if path?.reachability.isReachable == true {
                // What was unreachable stays so until the result.
                let cause: StateCause? = state == .unknown ? nil : .`self`
                self.init(.notProbed(isFirst: evaluation?.lastReport == nil, cause: cause))
            } else {
                self.init(path: path)
            }
        case .path, nil:
            // Between a new question and its first verdict the old state has no path.
            if state == .up { return nil }
            self.init(path: path)
        }
    }

    /// The reason of a target that a client paused.
    package static let paused = StateReason(.paused)

    private init(_ ground: Ground) { self.ground = ground }

    /// The reason of a target without a probe; nil while packets can leave for it.
    ///
    /// - Parameter path: the last verdict, nil before the first one.
    package init?(path: NetworkPath?) {
        guard let path else {
            ground = .notEvaluated(isResolving: false)
            return
        }
        guard !path.reachability.isReachable else { return nil }
        guard path.unsatisfiedReason != nil || path.reachability != .unknown else {
            // With an error this machine cannot ask: that is not the fault of the names.
            ground = .notEvaluated(isResolving: path.resolution.state == .pending && path.resolution.error == nil)
            return
        }
        let fallback: UnsatisfiedReason = path.status == .requiresConnection ? .connectionAvailable : .noRoute
        ground = .path(path.unsatisfiedReason ?? fallback, interface: path.interface?.name)
    }

    /// The stable code.
    package var code: ReasonCode {
        switch ground {
        case .notEvaluated: .notEvaluated
        case .path(let reason, _): .path(reason)
        case .notProbed, .heartbeatAwaited: .notProbed
        case .probe(let diagnosis): .probe(diagnosis.reason)
        case .parent: .parentDown
        case .paused: .paused
        case .maintenance: .maintenance
        }
    }

    /// The interface that is at fault, where one is.
    package var interface: String? {
        if case .path(_, let interface) = ground { interface } else { nil }
    }

    /// The cause; nil when there is no fault: a pause, a maintenance, a target without its first result, or a traffic target
    /// without connections.
    package var cause: StateCause? {
        switch ground {
        case .notEvaluated(let isResolving): isResolving ? .dns : .`self`
        case .path(.kernelRefused, _): .`self`
        case .notProbed(_, let cause): cause
        case .path(.nameUnresolved, _): .dns
        case .path: .localNetwork
        case .probe(let diagnosis): diagnosis.reason == .noTraffic ? nil : diagnosis.cause
        case .parent: .parent
        case .heartbeatAwaited, .paused, .maintenance: nil
        }
    }

    /// The host that reported why a probe's packet did not arrive, where one did.
    package var offender: Offender? {
        if case .probe(let diagnosis) = ground { diagnosis.offender } else { nil }
    }

    /// Where a trace of the path ended, where one explains the failure.
    package var pathEnd: PathEnd? {
        if case .probe(let diagnosis) = ground { diagnosis.pathEnd } else { nil }
    }

    /// One sentence for people.
    package var detail: String {
        switch ground {
        case .notEvaluated(let isResolving):
            isResolving ? "The name is not resolved yet." : "The target is not evaluated yet."
        case .path(let reason, let interface): Self.detail(reason, interface)
        case .notProbed(let isFirst, _): "Waiting for the \(isFirst ? "first" : "next") result."
        case .heartbeatAwaited(let isFirst): "Waiting for the \(isFirst ? "first" : "next") heartbeat."
        case .probe(let diagnosis): diagnosis.detail
        case .parent(let id): "It depends on \(id), which cannot be used."
        case .paused: "A client paused it."
        case .maintenance: "It is in a declared maintenance."
        }
    }

    private static func detail(_ reason: UnsatisfiedReason, _ interface: String?) -> String {
        let link = interface ?? "The outgoing interface"
        return switch reason {
        case .noRoute: "The kernel has no route to it."
        case .unreachable: "An unreachable route or rule covers it."
        case .prohibited: "A prohibit route or rule covers it."
        case .blackhole: "A blackhole route or rule covers it."
        case .linkDown: "\(link) is down."
        case .noCarrier: "\(link) has no carrier."
        case .noInterface: "The interface that it is bound to does not exist."
        case .noSourceAddress: "There is a route, but no usable source address."
        case .localAddressNotOurs: "Its local address is not one of this machine's."
        case .loopbackDown: "The loopback interface is down."
        case .nameUnresolved: "Its name resolved to no address."
        case .connectionAvailable: "There is no route; a declared connection could be established."
        case .kernelRefused: "The kernel rejected the route lookup."
        }
    }
}

/// Why a target is not up, as a stable code.
package enum ReasonCode: Sendable, Hashable, CaseIterable, RawRepresentable {
    /// The target is not evaluated yet.
    case notEvaluated
    /// There was no probe's result yet.
    case notProbed
    /// Something that it depends on cannot be used.
    case parentDown
    /// Paused by a user.
    case paused
    /// It is in a declared maintenance.
    case maintenance
    /// The path's own reason.
    case path(UnsatisfiedReason)
    /// The probe's own reason.
    case probe(ProbeReason)

    /// All codes, in the order of the contract. The path and the probe share some: `prohibited`, `blackhole`.
    package static let allCases: [ReasonCode] =
        [.notEvaluated, .notProbed, .parentDown, .paused, .maintenance]
        + UnsatisfiedReason.allCases.map(Self.path) + ProbeReason.allCases.map(Self.probe)

    /// Reads a code; nil for an unknown one. What a path and a probe share is read as the path's.
    package init?(rawValue: String) {
        guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    /// The code in the HTTP contract.
    package var rawValue: String {
        switch self {
        case .notEvaluated: "not_evaluated"
        case .notProbed: "not_probed"
        case .parentDown: "parent_down"
        case .paused: "paused"
        case .maintenance: "maintenance"
        case .path(let reason): reason.rawValue
        case .probe(let reason): reason.rawValue
        }
    }
}

/// Where the fault lies when a target is not up; raw values are the HTTP contract's.
package enum StateCause: String, Sendable, Hashable, CaseIterable {
    /// The target itself.
    case target
    /// This machine's network.
    case localNetwork = "local_network"
    /// A router or firewall between this machine's gateway and the target.
    case path
    /// The name's resolution.
    case dns
    /// Something that the target depends on.
    case parent
    /// reachd: it has not looked yet, or was not allowed to.
    case `self` = "self"
}
