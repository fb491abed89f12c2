// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One address to be judged, with the circumstances.
struct AddressQuestion {
    var destination: IPAddress
    /// The local side of a pair; its ownership is judged separately.
    var source: IPAddress?
    /// The index of the interface that the target is bound to; zero for none.
    var interface: UInt32 = 0
    var mark: UInt32?
    /// The index of the interface that the target went by last; zero when there is none.
    var lastInterface: UInt32 = 0

    var routeQuestion: RouteQuestion {
        RouteQuestion(destination: destination, source: source, interface: interface, mark: mark)
    }
}
