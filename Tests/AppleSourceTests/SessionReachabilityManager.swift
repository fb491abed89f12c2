// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// In the manner of the HTTP libraries' managers: the zero address, a listener on a queue of the caller's, an unretained
// info, a first value fetched by hand. Nothing in this file may be bent to Linux.

// swift-format-ignore-file

import Dispatch
import Foundation
import SystemConfiguration

open class SessionReachabilityManager {
    public enum NetworkReachabilityStatus: Equatable {
        case unknown
        case notReachable
        case reachable(ConnectionType)

        init(_ flags: SCNetworkReachabilityFlags) {
            guard flags.isActuallyReachable else { self = .notReachable; return }
            var networkStatus: NetworkReachabilityStatus = .reachable(.ethernetOrWiFi)
            if flags.isCellular { networkStatus = .reachable(.cellular) }
            self = networkStatus
        }

        public enum ConnectionType {
            case ethernetOrWiFi
            case cellular
        }
    }

    public typealias Listener = (NetworkReachabilityStatus) -> Void

    open var flags: SCNetworkReachabilityFlags? {
        var flags = SCNetworkReachabilityFlags()
        return SCNetworkReachabilityGetFlags(reachability, &flags) ? flags : nil
    }

    open var status: NetworkReachabilityStatus {
        flags.map(NetworkReachabilityStatus.init) ?? .unknown
    }

    public let reachabilityQueue = DispatchQueue(label: "org.example.reachabilityQueue")
    private let reachability: SCNetworkReachability
    private var listener: Listener?
    private var listenerQueue: DispatchQueue?
    private var previousStatus: NetworkReachabilityStatus?
    private let lock = NSLock()

    public convenience init?(host: String) {
        guard let reachability = SCNetworkReachabilityCreateWithName(nil, host) else { return nil }
        self.init(reachability: reachability)
    }

    public convenience init?() {
        var zero = sockaddr()
        zero.sa_len = UInt8(MemoryLayout<sockaddr>.size)
        zero.sa_family = sa_family_t(AF_INET)

        guard let reachability = SCNetworkReachabilityCreateWithAddress(nil, &zero) else { return nil }
        self.init(reachability: reachability)
    }

    init(reachability: SCNetworkReachability) {
        self.reachability = reachability
    }

    deinit {
        stopListening()
    }

    @discardableResult
    open func startListening(onQueue queue: DispatchQueue = .main, onUpdatePerforming listener: @escaping Listener)
        -> Bool
    {
        stopListening()
        lock.lock()
        listenerQueue = queue
        self.listener = listener
        lock.unlock()

        var context = SCNetworkReachabilityContext(
            version: 0,
            info: Unmanaged.passUnretained(self).toOpaque(),
            retain: nil,
            release: nil,
            copyDescription: nil
        )
        let callback: SCNetworkReachabilityCallBack = { _, flags, info in
            guard let info = info else { return }
            let instance = Unmanaged<SessionReachabilityManager>.fromOpaque(info).takeUnretainedValue()
            instance.notifyListener(flags)
        }

        let queueAdded = SCNetworkReachabilitySetDispatchQueue(reachability, reachabilityQueue)
        let callbackAdded = SCNetworkReachabilitySetCallback(reachability, callback, &context)

        // Manually call listener to give initial state, since the framework may not.
        if let currentFlags = flags {
            reachabilityQueue.async {
                self.notifyListener(currentFlags)
            }
        }
        return callbackAdded && queueAdded
    }

    open func stopListening() {
        SCNetworkReachabilitySetCallback(reachability, nil, nil)
        SCNetworkReachabilitySetDispatchQueue(reachability, nil)
        lock.lock()
        listener = nil
        listenerQueue = nil
        previousStatus = nil
        lock.unlock()
    }

    func notifyListener(_ flags: SCNetworkReachabilityFlags) {
        let newStatus = NetworkReachabilityStatus(flags)
        lock.lock()
        defer { lock.unlock() }
        guard previousStatus != newStatus else { return }
        previousStatus = newStatus
        let listener = self.listener
        listenerQueue?.async { listener?(newStatus) }
    }
}

extension SCNetworkReachabilityFlags {
    var isReachable: Bool { contains(.reachable) }
    var isConnectionRequired: Bool { contains(.connectionRequired) }
    var canConnectAutomatically: Bool { contains(.connectionOnDemand) || contains(.connectionOnTraffic) }
    var canConnectWithoutUserInteraction: Bool { canConnectAutomatically && !contains(.interventionRequired) }
    var isActuallyReachable: Bool { isReachable && (!isConnectionRequired || canConnectWithoutUserInteraction) }
    var isCellular: Bool { contains(.isWWAN) }

    var readableDescription: String {
        let W = isCellular ? "W" : "-"
        let R = isReachable ? "R" : "-"
        let c = isConnectionRequired ? "c" : "-"
        let t = contains(.transientConnection) ? "t" : "-"
        let i = contains(.interventionRequired) ? "i" : "-"
        let C = contains(.connectionOnTraffic) ? "C" : "-"
        let D = contains(.connectionOnDemand) ? "D" : "-"
        let l = contains(.isLocalAddress) ? "l" : "-"
        let d = contains(.isDirect) ? "d" : "-"
        let a = contains(.connectionAutomatic) ? "a" : "-"
        return "\(W)\(R) \(c)\(t)\(i)\(C)\(D)\(l)\(d)\(a)"
    }
}
