// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing

/// A value whose own form was checked; whether it fits its neighbours was not.
enum CheckedValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int)
    case duration(Duration)
    /// Of a choice, a line, an id, an interface name, a path.
    case text(String)
    case host(String)
    case address(IPAddress, interface: String?)
    /// nil is `default`.
    case coverage(IPPrefix?)
    case patterns([InterfaceRule.Pattern])
    case listen(ListenAddress)
    case pattern(ProbePattern)
    case time(Timestamp)
    case labels([String: String])
    case list([Located])
    case object(CheckedObject)
    /// Something stood there and was faulty; the fault was told.
    case faulty

    /// A value with the place it came from.
    struct Located: Sendable {
        let value: CheckedValue
        let place: ConfigurationFault.Place
    }
}
