// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// The status codes of Apple's `SystemConfiguration.h`, as Swift sees them there: `Int` constants, compared with the
// `Int32` of `SCError()`. Those that this library never sets are here for the source that switches over them.

/// Success.
public let kSCStatusOK = 0
/// A call failed for no better-known reason; here: the path engine could not start.
public let kSCStatusFailed = 1001
/// An argument makes no sense, or the call makes none in the target's state.
public let kSCStatusInvalidArgument = 1002
/// Permission is denied.
public let kSCStatusAccessError = 1003
/// There is no such key.
public let kSCStatusNoKey = 1004
/// The key exists already.
public let kSCStatusKeyExists = 1005
/// The lock is held already.
public let kSCStatusLocked = 1006
/// The operation needs the lock.
public let kSCStatusNeedLock = 1007
/// The configuration daemon's session is not active.
public let kSCStatusNoStoreSession = 2001
/// The configuration daemon is not available.
public let kSCStatusNoStoreServer = 2002
/// A notifier is active already.
public let kSCStatusNotifierActive = 2003
/// The preferences session is not active.
public let kSCStatusNoPrefsSession = 3001
/// The preferences are being updated.
public let kSCStatusPrefsBusy = 3002
/// There is no configuration file.
public let kSCStatusNoConfigFile = 3003
/// There is no such link.
public let kSCStatusNoLink = 3004
/// The object was changed by somebody else since it was read.
public let kSCStatusStale = 3005
/// There are too many links.
public let kSCStatusMaxLink = 3006
/// The kernel refused to say whether the target is reachable (linux-paths section 4.2, row 6).
public let kSCStatusReachabilityUnknown = 4001
/// There is no network service for the connection.
public let kSCStatusConnectionNoService = 5001
/// The connection's information is not available now.
public let kSCStatusConnectionIgnore = 5002
