// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// In the manner of Apple's old sample class: constructors by name, address and zero address, a run loop, a
// notification. Nothing in this file may be bent to Linux.

// swift-format-ignore-file

import Foundation
import SystemConfiguration

enum NetworkStatus: Int {
    case notReachable = 0
    case reachableViaWiFi
    case reachableViaWWAN
}

let kReachabilityChangedNotification = Notification.Name("kNetworkReachabilityChangedNotification")

private func ReachabilityCallback(
    target: SCNetworkReachability,
    flags: SCNetworkReachabilityFlags,
    info: UnsafeMutableRawPointer?
) {
    guard let info = info else {
        assertionFailure("info was NULL in ReachabilityCallback")
        return
    }
    let noteObject = Unmanaged<SampleReachability>.fromOpaque(info).takeUnretainedValue()
    NotificationCenter.default.post(name: kReachabilityChangedNotification, object: noteObject)
}

class SampleReachability: NSObject {
    private let reachabilityRef: SCNetworkReachability

    init?(hostName: String) {
        guard let reachability = SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, hostName) else { return nil }
        reachabilityRef = reachability
    }

    init?(hostAddress: UnsafePointer<sockaddr>) {
        guard let reachability = SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, hostAddress) else {
            return nil
        }
        reachabilityRef = reachability
    }

    static func forInternetConnection() -> SampleReachability? {
        var zeroAddress = sockaddr_in()
        bzero(&zeroAddress, MemoryLayout<sockaddr_in>.size)
        zeroAddress.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        zeroAddress.sin_family = sa_family_t(AF_INET)
        return withUnsafePointer(to: &zeroAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                SampleReachability(hostAddress: $0)
            }
        }
    }

    static func forLocalWiFi() -> SampleReachability? {
        var localWifiAddress = sockaddr_in()
        localWifiAddress.sin_len = __uint8_t(MemoryLayout<sockaddr_in>.size)
        localWifiAddress.sin_family = sa_family_t(AF_INET)
        localWifiAddress.sin_addr.s_addr = IN_LINKLOCALNETNUM.bigEndian
        return withUnsafePointer(to: &localWifiAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                SampleReachability(hostAddress: $0)
            }
        }
    }

    func startNotifier() -> Bool {
        var returnValue = false
        var context = SCNetworkReachabilityContext(
            version: 0,
            info: nil,
            retain: nil,
            release: nil,
            copyDescription: nil
        )
        context.info = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
        if SCNetworkReachabilitySetCallback(reachabilityRef, ReachabilityCallback, &context) {
            if SCNetworkReachabilityScheduleWithRunLoop(
                reachabilityRef,
                CFRunLoopGetCurrent(),
                CFRunLoopMode.defaultMode.rawValue
            ) {
                returnValue = true
            }
        }
        return returnValue
    }

    func stopNotifier() {
        SCNetworkReachabilityUnscheduleFromRunLoop(
            reachabilityRef,
            CFRunLoopGetCurrent(),
            CFRunLoopMode.defaultMode.rawValue
        )
    }

    deinit {
        stopNotifier()
    }

    func networkStatus(for flags: SCNetworkReachabilityFlags) -> NetworkStatus {
        if !flags.contains(.reachable) {
            return .notReachable
        }
        var returnValue = NetworkStatus.notReachable
        if flags.contains(.connectionRequired) == false {
            returnValue = .reachableViaWiFi
        }
        if flags.contains(.connectionOnDemand) || flags.contains(.connectionOnTraffic) {
            if flags.contains(.interventionRequired) == false {
                returnValue = .reachableViaWiFi
            }
        }
        if flags.contains(.isWWAN) {
            returnValue = .reachableViaWWAN
        }
        return returnValue
    }

    var connectionRequired: Bool {
        var flags = SCNetworkReachabilityFlags()
        if SCNetworkReachabilityGetFlags(reachabilityRef, &flags) {
            return flags.contains(.connectionRequired)
        }
        return false
    }

    var currentReachabilityStatus: NetworkStatus {
        var flags = SCNetworkReachabilityFlags(rawValue: 0)
        guard SCNetworkReachabilityGetFlags(reachabilityRef, &flags) else { return .notReachable }
        return networkStatus(for: flags)
    }
}
