// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What became of one address: a row of the decision table with its flags (linux-paths 4.2 and 4.3).
struct Verdict {
    var flags: SCNetworkReachabilityFlags
    var reason: UnsatisfiedReason?
    /// The index of the outgoing link; zero for none.
    var interface: UInt32 = 0
    var source: IPAddress?
    var gateway: IPAddress?

    /// A verdict of "no", with the dead link as information.
    static func unsatisfied(_ reason: UnsatisfiedReason, interface: UInt32 = 0) -> Verdict {
        Verdict(flags: [], reason: reason, interface: interface)
    }

    /// 0 nothing, 1 a connection could be made, 2 reachable (R55, R70).
    var rank: Int {
        guard flags.contains(.reachable) else { return 0 }
        return flags.contains(.connectionRequired) ? 1 : 2
    }

    /// Whether a declared connection may take the place of this verdict: rows 3, 4, 9, 10 and 11.
    var allowsConnection: Bool {
        switch reason {
        case .noRoute, .unreachable, .prohibited, .blackhole, .linkDown, .noCarrier, .noSourceAddress: true
        default: false
        }
    }
}
