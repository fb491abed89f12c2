// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import CoreFoundation
public import Glibc
internal import NetworkPaths

// Apple's names, all of them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Longer names than the resolver takes are refused, in bytes.
private let longestName = 1024

/// Creates a target for a host name.
///
/// - Parameters:
///   - allocator: Ignored.
///   - nodename: The name in UTF-8, taken as it is: a URL or `host:port` is a name that does not exist. A literal address
///     makes an address target (R40).
/// - Returns: nil, with `kSCStatusInvalidArgument`, for an empty name, one of dots only, one that is not UTF-8 or longer
///   than 1024 bytes (R42).
public func SCNetworkReachabilityCreateWithName(
    _ allocator: CFAllocator?,
    _ nodename: UnsafePointer<CChar>?
) -> SCNetworkReachability? {
    guard let nodename = unsafe nodename, unsafe strnlen(nodename, longestName + 1) <= longestName,
        let name = unsafe String(validatingCString: nodename), !name.allSatisfy({ $0 == "." })
    else { return refuse() }
    return make(ScopedAddress(literal: name).map { PathTarget($0) } ?? .name(name))
}

/// Creates a target for an address.
///
/// - Parameters:
///   - allocator: Ignored.
///   - address: An IPv4 or IPv6 socket address; the port is ignored, a scope binds to that interface, and the zero
///     address of either family is the default path (R41).
/// - Returns: nil, with `kSCStatusInvalidArgument`, for no address, another family, or a scope without interface (R42).
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: CFAllocator?,
    _ address: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    guard let address = unsafe address, let read = unsafe ScopedAddress(address) else { return refuse() }
    return make(PathTarget(read))
}

/// Creates a target for packets between two addresses (R43).
///
/// - Parameters:
///   - allocator: Ignored.
///   - localAddress: An address of this machine; nil for any.
///   - remoteAddress: Where packets go; nil to judge the local address alone.
/// - Returns: nil, with `kSCStatusInvalidArgument`, with neither side, another family, sides of different families, or a
///   scope without interface (R42).
public func SCNetworkReachabilityCreateWithAddressPair(
    _ allocator: CFAllocator?,
    _ localAddress: UnsafePointer<sockaddr>?,
    _ remoteAddress: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    let local = unsafe localAddress.map { unsafe ScopedAddress($0) }
    let remote = unsafe remoteAddress.map { unsafe ScopedAddress($0) }
    // One level of nil is "not given", the other "given and wrong".
    if case .some(.none) = local { return refuse() }
    if case .some(.none) = remote { return refuse() }
    guard let target = PathTarget(local: local ?? nil, remote: remote ?? nil) else { return refuse() }
    return make(target)
}

private func make(_ target: PathTarget) -> SCNetworkReachability {
    LastError.set(kSCStatusOK)
    return SCNetworkReachability(PathRequest(target))
}

private func refuse() -> SCNetworkReachability? {
    LastError.set(kSCStatusInvalidArgument)
    return nil
}
