// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import CoreFoundation
public import Foundation
public import NetworkPaths

/// The string class to which `as CFString` converts, as on Apple's systems.
///
/// Swift bridges strings to Foundation's class on Linux and not to Core Foundation's, which has the same name there and is
/// hidden by this declaration. Where this library takes a string it takes both: constants such as `kCFRunLoopCommonModes`
/// are Core Foundation's.
public typealias CFString = NSString

extension NSString {
    /// The same text as Core Foundation's class.
    ///
    /// A copy: the two classes share their layout on Linux too, but nothing documents it.
    var coreFoundationString: CoreFoundation.CFString {
        let units = Array((self as String).utf16)
        return unsafe CFStringCreateWithCharacters(kCFAllocatorDefault, units, units.count)
    }
}

/// `CFRunLoopMode` is Core Foundation's string class itself on Linux and a type around it on Apple's systems; these members
/// make source for the latter compile.
extension CFRunLoopMode {
    // Implicitly unwrapped as Apple's are, so that `commonModes.rawValue` and `commonModes!.rawValue` both compile.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The modes that are marked as common, `kCFRunLoopCommonModes`.
    public static var commonModes: CFRunLoopMode! { kCFRunLoopCommonModes }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The default mode, `kCFRunLoopDefaultMode`.
    public static var defaultMode: CFRunLoopMode! { kCFRunLoopDefaultMode }

    /// The mode's name.
    public var rawValue: CFString { CFString(string: "\(self)") }
}

// The flags under the names of the C header (F1).

/// See `SCNetworkReachabilityFlags.transientConnection`.
public let kSCNetworkReachabilityFlagsTransientConnection = SCNetworkReachabilityFlags.transientConnection
/// See `SCNetworkReachabilityFlags.reachable`.
public let kSCNetworkReachabilityFlagsReachable = SCNetworkReachabilityFlags.reachable
/// See `SCNetworkReachabilityFlags.connectionRequired`.
public let kSCNetworkReachabilityFlagsConnectionRequired = SCNetworkReachabilityFlags.connectionRequired
/// See `SCNetworkReachabilityFlags.connectionOnTraffic`.
public let kSCNetworkReachabilityFlagsConnectionOnTraffic = SCNetworkReachabilityFlags.connectionOnTraffic
/// See `SCNetworkReachabilityFlags.interventionRequired`.
public let kSCNetworkReachabilityFlagsInterventionRequired = SCNetworkReachabilityFlags.interventionRequired
/// See `SCNetworkReachabilityFlags.connectionOnDemand`.
public let kSCNetworkReachabilityFlagsConnectionOnDemand = SCNetworkReachabilityFlags.connectionOnDemand
/// See `SCNetworkReachabilityFlags.isLocalAddress`.
public let kSCNetworkReachabilityFlagsIsLocalAddress = SCNetworkReachabilityFlags.isLocalAddress
/// See `SCNetworkReachabilityFlags.isDirect`.
public let kSCNetworkReachabilityFlagsIsDirect = SCNetworkReachabilityFlags.isDirect
/// See `SCNetworkReachabilityFlags.isWWAN`.
public let kSCNetworkReachabilityFlagsIsWWAN = SCNetworkReachabilityFlags.isWWAN
/// The old name of `kSCNetworkReachabilityFlagsConnectionOnTraffic`, the same bit.
public let kSCNetworkReachabilityFlagsConnectionAutomatic = SCNetworkReachabilityFlags.connectionAutomatic
