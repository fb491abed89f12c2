// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// In the manner of the popular wrappers: a serial queue, a weak box as info with retain, release and copyDescription,
// errors with the system's code. Nothing in this file may be bent to Linux.

// swift-format-ignore-file

import Foundation
import SystemConfiguration

enum ReachabilityError: Error {
    case failedToCreateWithAddress(sockaddr, Int32)
    case failedToCreateWithHostname(String, Int32)
    case unableToSetCallback(Int32)
    case unableToSetDispatchQueue(Int32)
    case unableToGetFlags(Int32)
}

private class WeakReachability {
    weak var reachability: QueueReachability?
    init(reachability: QueueReachability) {
        self.reachability = reachability
    }
}

final class QueueReachability {
    typealias NetworkReachable = (QueueReachability) -> Void

    enum Connection: CustomStringConvertible {
        case unavailable, wifi, cellular
        var description: String {
            switch self {
            case .cellular: return "Cellular"
            case .wifi: return "WiFi"
            case .unavailable: return "No Connection"
            }
        }
    }

    var whenReachable: NetworkReachable?
    var whenUnreachable: NetworkReachable?
    private(set) var notifierRunning = false
    private let reachabilityRef: SCNetworkReachability
    private let reachabilitySerialQueue: DispatchQueue
    private(set) var flags: SCNetworkReachabilityFlags? {
        didSet {
            guard flags != oldValue else { return }
            connection != .unavailable ? whenReachable?(self) : whenUnreachable?(self)
        }
    }

    required init(reachabilityRef: SCNetworkReachability, queueQoS: DispatchQoS = .default) {
        self.reachabilityRef = reachabilityRef
        reachabilitySerialQueue = DispatchQueue(label: "uk.co.example.reachability", qos: queueQoS)
    }

    convenience init(hostname: String) throws {
        guard let ref = SCNetworkReachabilityCreateWithName(nil, hostname) else {
            throw ReachabilityError.failedToCreateWithHostname(hostname, SCError())
        }
        self.init(reachabilityRef: ref)
    }

    convenience init() throws {
        var zeroAddress = sockaddr()
        zeroAddress.sa_len = UInt8(MemoryLayout<sockaddr>.size)
        zeroAddress.sa_family = sa_family_t(AF_INET)
        guard let ref = SCNetworkReachabilityCreateWithAddress(nil, &zeroAddress) else {
            throw ReachabilityError.failedToCreateWithAddress(zeroAddress, SCError())
        }
        self.init(reachabilityRef: ref)
    }

    deinit {
        stopNotifier()
    }

    var connection: Connection {
        if flags == nil {
            try? setReachabilityFlags()
        }
        guard let flags = flags, flags.contains(.reachable) else { return .unavailable }
        if flags.contains(.connectionRequired), flags.intersection([.connectionOnDemand, .connectionOnTraffic]).isEmpty
        {
            return .unavailable
        }
        return flags.contains(.isWWAN) ? .cellular : .wifi
    }

    func startNotifier() throws {
        guard !notifierRunning else { return }

        let callback: SCNetworkReachabilityCallBack = { (reachability, flags, info) in
            guard let info = info else { return }
            let weakReachability = Unmanaged<WeakReachability>.fromOpaque(info).takeUnretainedValue()
            weakReachability.reachability?.flags = flags
        }

        let weakReachability = WeakReachability(reachability: self)
        let opaqueWeakReachability = Unmanaged<WeakReachability>.passUnretained(weakReachability).toOpaque()

        var context = SCNetworkReachabilityContext(
            version: 0,
            info: UnsafeMutableRawPointer(opaqueWeakReachability),
            retain: { (info: UnsafeRawPointer) -> UnsafeRawPointer in
                let unmanagedWeakReachability = Unmanaged<WeakReachability>.fromOpaque(info)
                _ = unmanagedWeakReachability.retain()
                return UnsafeRawPointer(unmanagedWeakReachability.toOpaque())
            },
            release: { (info: UnsafeRawPointer) -> Void in
                let unmanagedWeakReachability = Unmanaged<WeakReachability>.fromOpaque(info)
                unmanagedWeakReachability.release()
            },
            copyDescription: { (info: UnsafeRawPointer) -> Unmanaged<CFString> in
                let unmanagedWeakReachability = Unmanaged<WeakReachability>.fromOpaque(info)
                let weakReachability = unmanagedWeakReachability.takeUnretainedValue()
                let description = weakReachability.reachability.map { "\($0)" } ?? "nil"
                return Unmanaged.passRetained(description as CFString)
            }
        )

        if !SCNetworkReachabilitySetCallback(reachabilityRef, callback, &context) {
            stopNotifier()
            throw ReachabilityError.unableToSetCallback(SCError())
        }

        if !SCNetworkReachabilitySetDispatchQueue(reachabilityRef, reachabilitySerialQueue) {
            stopNotifier()
            throw ReachabilityError.unableToSetDispatchQueue(SCError())
        }

        try setReachabilityFlags()
        notifierRunning = true
    }

    func stopNotifier() {
        defer { notifierRunning = false }
        SCNetworkReachabilitySetCallback(reachabilityRef, nil, nil)
        SCNetworkReachabilitySetDispatchQueue(reachabilityRef, nil)
    }

    private func setReachabilityFlags() throws {
        try reachabilitySerialQueue.sync { [unowned self] in
            var flags = SCNetworkReachabilityFlags()
            if !SCNetworkReachabilityGetFlags(self.reachabilityRef, &flags) {
                self.stopNotifier()
                throw ReachabilityError.unableToGetFlags(SCError())
            }
            self.flags = flags
        }
    }

    static var lastErrorText: String {
        if SCError() == kSCStatusOK {
            return "none"
        }
        return String(cString: SCErrorString(SCError()))
    }
}
