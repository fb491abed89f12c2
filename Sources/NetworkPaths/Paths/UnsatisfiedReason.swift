// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a path cannot carry packets: the reason codes of linux-paths section 4.2, closed and stable.
public enum UnsatisfiedReason: String, Sendable, Hashable, CaseIterable {
    /// `ENETUNREACH`: no route, or only `throw` routes.
    case noRoute = "no_route"
    /// `EHOSTUNREACH`: an `unreachable` route or rule.
    case unreachable
    /// `EACCES`: a `prohibit` route or rule.
    case prohibited
    /// `EINVAL` without text: a `blackhole` route or rule.
    case blackhole
    /// The outgoing link is administratively down.
    case linkDown = "link_down"
    /// The outgoing link is up and has no carrier.
    case noCarrier = "no_carrier"
    /// The interface that the target is bound to does not exist.
    case noInterface = "no_interface"
    /// There is a route and no usable source address, a tentative IPv6 one for example.
    case noSourceAddress = "no_source_address"
    /// The local address of a pair is not one of this machine's (R43).
    case localAddressNotOurs = "local_address_not_ours"
    /// The target is this machine and its loopback interface is down (L2).
    case loopbackDown = "loopback_down"
    /// The name resolved to nothing (R54).
    case nameUnresolved = "name_unresolved"
    /// No route now, and a declared connection covers the target (linux-paths section 4.4).
    case connectionAvailable = "connection_available"
    /// The kernel refused the question: this is no verdict, the status is unknown.
    case kernelRefused = "kernel_refused"
}
