// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// The snippets that are pasted everywhere: one question with the zero address of either family, a pair, a main run loop.
// Nothing in this file may be bent to Linux.

// swift-format-ignore-file

import Foundation
import SystemConfiguration

func isConnectedToNetwork() -> Bool {
    var zeroAddress = sockaddr_in()
    zeroAddress.sin_len = UInt8(MemoryLayout.size(ofValue: zeroAddress))
    zeroAddress.sin_family = sa_family_t(AF_INET)

    guard
        let defaultRouteReachability = withUnsafePointer(
            to: &zeroAddress,
            {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { zeroSockAddress in
                    SCNetworkReachabilityCreateWithAddress(nil, zeroSockAddress)
                }
            }
        )
    else { return false }

    var flags: SCNetworkReachabilityFlags = []
    if !SCNetworkReachabilityGetFlags(defaultRouteReachability, &flags) {
        return false
    }
    let isReachable = flags.contains(.reachable)
    let needsConnection = flags.contains(.connectionRequired)
    return (isReachable && !needsConnection)
}

func reachabilityOfAnyFamily() -> SCNetworkReachability? {
    var address = sockaddr_in6()
    address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    address.sin6_family = sa_family_t(AF_INET6)
    return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            SCNetworkReachabilityCreateWithAddress(nil, $0)
        }
    }
}

func reachabilityOfLoopbackPair() -> SCNetworkReachability? {
    var local = sockaddr_in()
    local.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    local.sin_family = sa_family_t(AF_INET)
    local.sin_addr.s_addr = inet_addr("127.0.0.1")
    var remote = local
    return withUnsafeMutablePointer(to: &local) { localPointer in
        withUnsafeMutablePointer(to: &remote) { remotePointer in
            localPointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { local in
                remotePointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { remote in
                    SCNetworkReachabilityCreateWithAddressPair(kCFAllocatorDefault, local, remote)
                }
            }
        }
    }
}

func watchOnMainRunLoop(_ reachability: SCNetworkReachability) -> Bool {
    var context = SCNetworkReachabilityContext(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
    guard
        SCNetworkReachabilitySetCallback(
            reachability,
            { (_, flags, _) in print("Reachability changed: \(flags)") },
            &context
        ),
        SCNetworkReachabilityScheduleWithRunLoop(
            reachability,
            CFRunLoopGetMain(),
            CFRunLoopMode.commonModes!.rawValue
        )
    else { return false }
    return SCNetworkReachabilityUnscheduleFromRunLoop(
        reachability,
        CFRunLoopGetMain(),
        CFRunLoopMode.commonModes!.rawValue
    )
}

func namedCallback(
    _ target: SCNetworkReachability,
    _ flags: SCNetworkReachabilityFlags,
    _ info: UnsafeMutableRawPointer?
) {
}

func setNamedCallback(_ reachability: SCNetworkReachability) -> Bool {
    SCNetworkReachabilitySetCallback(reachability, namedCallback, nil)
}
