// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a path leads to (R40).
public enum PathTarget: Sendable, Hashable {
    /// The default path: is there any usable network (R41), of one family and through one interface if given.
    case defaultPath(family: AddressFamily? = nil, interface: String? = nil)
    /// One address, through one interface if given.
    case address(IPAddress, interface: String? = nil)
    /// Packets between a local and a remote address; at least one of them is given (R43).
    case pair(local: IPAddress?, remote: IPAddress?)
    /// A host name, resolved by DNS and the hosts file.
    case name(String)
}
