// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Dispatch
public import Glibc
import NetworkPaths
public import SystemConfiguration

// The four ways to a manager, and the one from a handle (R5).

extension NetworkReachabilityManager {
    /// The manager of the default path on the main queue, made at its first use (contract R6).
    ///
    /// It is idle until it is started. If the system refuses it a handle its status stays unknown.
    public static let shared = makeShared()

    private static func makeShared() -> NetworkReachabilityManager {
        let target: any ReachabilityTarget = defaultPath().map { SystemReachabilityTarget($0) } ?? UnavailableTarget()
        return NetworkReachabilityManager(target: target, deliveryQueue: .main)
    }

    /// Creates a manager of the default path: is there any usable network, of either family (contract R5, R41).
    ///
    /// - Parameter deliveryQueue: where all three kinds of listener are called.
    /// - Throws: `invalidAddress` if the system refuses the handle.
    public convenience init(deliveryQueue: DispatchQueue = .main) throws(NetworkReachabilityError) {
        guard let reachability = Self.defaultPath() else {
            throw NetworkReachabilityError(.invalidAddress, "the default path cannot be watched", systemCode: SCError())
        }
        self.init(reachability: reachability, deliveryQueue: deliveryQueue)
    }

    /// Creates a manager of a host name (contract R5).
    ///
    /// - Parameters:
    ///   - domain: the name as it is: a URL or `host:port` is a name that does not exist; a literal address is an address (R40).
    ///   - deliveryQueue: where all three kinds of listener are called.
    /// - Throws: `invalidDomain` for an empty name, or one that the system does not take (R8, R42).
    public convenience init(
        forDomain domain: String,
        deliveryQueue: DispatchQueue = .main
    ) throws(NetworkReachabilityError) {
        // C would see only what is before a zero byte.
        guard !domain.utf8.contains(0) else {
            throw NetworkReachabilityError(.invalidDomain, "a host name cannot contain a zero byte")
        }
        guard let reachability = unsafe SCNetworkReachabilityCreateWithName(nil, domain) else {
            throw NetworkReachabilityError(.invalidDomain, "\"\(domain)\" is not a host name", systemCode: SCError())
        }
        self.init(reachability: reachability, deliveryQueue: deliveryQueue)
    }

    /// Creates a manager of an address (contract R5).
    ///
    /// - Parameters:
    ///   - address: `sockaddr_in` or `sockaddr_in6`, whose port is ignored; the zero address is the default path (R41).
    ///   - deliveryQueue: where all three kinds of listener are called.
    /// - Throws: `invalidAddress` for another family (R8, R42).
    public convenience init(
        forAddress address: UnsafePointer<sockaddr>,
        deliveryQueue: DispatchQueue = .main
    ) throws(NetworkReachabilityError) {
        guard let reachability = unsafe SCNetworkReachabilityCreateWithAddress(nil, address) else {
            throw NetworkReachabilityError(
                .invalidAddress,
                "the socket address is neither IPv4 nor IPv6",
                systemCode: SCError()
            )
        }
        self.init(reachability: reachability, deliveryQueue: deliveryQueue)
    }

    /// Creates a manager of an address.
    ///
    /// - Parameters:
    ///   - address: `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`; `0.0.0.0` and `::` are the default path (R41).
    ///   - deliveryQueue: where all three kinds of listener are called.
    /// - Throws: `invalidAddress` when the text is not a literal address, or its scope is not an interface (R8).
    public convenience init(
        forAddress address: String,
        deliveryQueue: DispatchQueue = .main
    ) throws(NetworkReachabilityError) {
        let reachability = unsafe SocketAddress(address)?.withPointer { address, _ in
            unsafe SCNetworkReachabilityCreateWithAddress(nil, address)
        }
        guard let reachability else {
            throw NetworkReachabilityError(.invalidAddress, "\"\(address)\" is not an IPv4 or IPv6 address")
        }
        self.init(reachability: reachability, deliveryQueue: deliveryQueue)
    }

    /// Creates a manager of packets between two addresses (contract R5, R43).
    ///
    /// - Parameters:
    ///   - localAddress: an address of this machine; nil for any.
    ///   - remoteAddress: where packets go; nil to judge the local address alone.
    ///   - deliveryQueue: where all three kinds of listener are called.
    /// - Throws: `invalidAddressPair` with neither side or another family (R8, R42).
    public convenience init(
        forLocalAddress localAddress: UnsafePointer<sockaddr>?,
        remoteAddress: UnsafePointer<sockaddr>?,
        deliveryQueue: DispatchQueue = .main
    ) throws(NetworkReachabilityError) {
        let pair = unsafe SCNetworkReachabilityCreateWithAddressPair(nil, localAddress, remoteAddress)
        guard let pair else {
            throw NetworkReachabilityError(
                .invalidAddressPair,
                "a pair needs at least one IPv4 or IPv6 address",
                systemCode: SCError()
            )
        }
        self.init(reachability: pair, deliveryQueue: deliveryQueue)
    }

    /// Creates a manager of packets between two addresses (contract R43).
    ///
    /// - Parameters:
    ///   - localAddress: an address of this machine as text; nil for any.
    ///   - remoteAddress: where packets go, as text; nil to judge the local address alone.
    ///   - deliveryQueue: where all three kinds of listener are called.
    /// - Throws: `invalidAddressPair` with neither side, or when one of them is not a literal address (R8).
    public convenience init(
        forLocalAddress localAddress: String?,
        remoteAddress: String?,
        deliveryQueue: DispatchQueue = .main
    ) throws(NetworkReachabilityError) {
        let local = try Self.side(localAddress)
        let remote = try Self.side(remoteAddress)
        let pair = unsafe Self.withPointer(to: local) { localPointer in
            unsafe Self.withPointer(to: remote) { remotePointer in
                unsafe SCNetworkReachabilityCreateWithAddressPair(nil, localPointer, remotePointer)
            }
        }
        guard let pair else {
            throw NetworkReachabilityError(
                .invalidAddressPair,
                "a pair needs at least one IPv4 or IPv6 address",
                systemCode: SCError()
            )
        }
        self.init(reachability: pair, deliveryQueue: deliveryQueue)
    }

    /// Creates a manager from a handle, which it keeps; the designated way of the original (contract R5, R9).
    ///
    /// - Parameters:
    ///   - reachability: the handle. Its callback and schedule belong to the manager from the first start on.
    ///   - deliveryQueue: where all three kinds of listener are called.
    public convenience init(reachability: SCNetworkReachability, deliveryQueue: DispatchQueue = .main) {
        self.init(target: SystemReachabilityTarget(reachability), deliveryQueue: deliveryQueue)
    }

    /// The zero address, which means any network of either family (R41).
    private static func defaultPath() -> SCNetworkReachability? {
        var zero = sockaddr()
        zero.sa_family = sa_family_t(AF_INET)
        return unsafe SCNetworkReachabilityCreateWithAddress(nil, &zero)
    }

    private static func side(_ text: String?) throws(NetworkReachabilityError) -> SocketAddress? {
        guard let text else { return nil }
        guard let address = SocketAddress(text) else {
            throw NetworkReachabilityError(.invalidAddressPair, "\"\(text)\" is not an IPv4 or IPv6 address")
        }
        return address
    }

    private static func withPointer<Result>(
        to address: SocketAddress?,
        _ body: (UnsafePointer<sockaddr>?) -> Result
    ) -> Result {
        guard let address else { return body(nil) }
        return unsafe address.withPointer { pointer, _ in unsafe body(pointer) }
    }
}
