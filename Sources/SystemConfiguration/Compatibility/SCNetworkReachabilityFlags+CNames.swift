// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import NetworkPaths

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
