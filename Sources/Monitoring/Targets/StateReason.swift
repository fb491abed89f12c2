// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import NetworkPaths

/// Why a target is not up: a stable code, a sentence for people, and where the fault lies.
public struct StateReason: Sendable, Hashable {
    /// The stable code.
    public let code: ReasonCode
    /// The interface that is at fault, where one is.
    public let interface: String?
    /// Whether a name's first answer is awaited, and nothing is said before it.
    private let isResolving: Bool

    /// The reason of a target without a probe; nil while packets can leave for it.
    ///
    /// - Parameter path: the last verdict, nil before the first one.
    public init?(path: NetworkPath?) {
        guard let path else {
            code = .notEvaluated
            interface = nil
            isResolving = false
            return
        }
        guard !path.reachability.isReachable else { return nil }
        interface = path.interface?.name
        isResolving = path.resolution.state == .pending
        guard path.unsatisfiedReason != nil || path.reachability != .unknown else {
            code = .notEvaluated
            return
        }
        let fallback: UnsatisfiedReason = path.status == .requiresConnection ? .connectionAvailable : .noRoute
        code = .path(path.unsatisfiedReason ?? fallback)
    }

    /// Where the fault lies.
    public var cause: StateCause {
        switch code {
        case .notEvaluated: isResolving ? .dns : .`self`
        case .path(.kernelRefused): .`self`
        case .path(.nameUnresolved): .dns
        case .path: .localNetwork
        }
    }

    /// One sentence for people.
    public var detail: String {
        guard case .path(let reason) = code else {
            return isResolving ? "Its name has no answer yet." : "There was no verdict yet."
        }
        let link = interface ?? "The outgoing interface"
        return switch reason {
        case .noRoute: "The kernel has no route to it."
        case .unreachable: "An unreachable route or rule covers it."
        case .prohibited: "A prohibit route or rule covers it."
        case .blackhole: "A blackhole route or rule covers it."
        case .linkDown: "\(link) is down."
        case .noCarrier: "\(link) has no carrier."
        case .noInterface: "The interface that it is bound to does not exist."
        case .noSourceAddress: "There is a route and no usable source address."
        case .localAddressNotOurs: "Its local address is not one of this machine's."
        case .loopbackDown: "The loopback interface is down."
        case .nameUnresolved: "Its name resolved to no address."
        case .connectionAvailable: "There is no route; a declared connection could be made."
        case .kernelRefused: "The kernel refused to answer."
        }
    }
}
