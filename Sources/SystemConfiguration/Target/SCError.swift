// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import CoreFoundation
public import Foundation
internal import Glibc

// Apple's names, all of them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of the errors that `SCCopyLastError()` makes.
public var kCFErrorDomainSystemConfiguration: CFString { "com.apple.SystemConfiguration" }

/// The status of the calling thread's most recent call into this library: `kSCStatusOK` after one that succeeded.
public func SCError() -> Int32 {
    LastError.code
}

/// A status in words.
///
/// - Parameter status: A `kSCStatus…` code or an `errno` value.
/// - Returns: A text that lives for ever; "Unknown error" for other numbers.
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
    let text: StaticString =
        switch Int(status) {
        case kSCStatusOK: "Success!"
        case kSCStatusFailed: "Failed!"
        case kSCStatusInvalidArgument: "Invalid argument"
        case kSCStatusAccessError: "Permission denied"
        case kSCStatusNoKey: "No such key"
        case kSCStatusKeyExists: "Data associated with key already defined"
        case kSCStatusLocked: "Lock already held"
        case kSCStatusNeedLock: "Lock required for this operation"
        case kSCStatusNoStoreSession: "Configuration daemon session not active"
        case kSCStatusNoStoreServer: "Configuration daemon not (no longer) available"
        case kSCStatusNotifierActive: "Notifier is currently active"
        case kSCStatusNoPrefsSession: "Preferences session not active"
        case kSCStatusPrefsBusy: "Preferences update currently in progress"
        case kSCStatusNoConfigFile: "Configuration file not found"
        case kSCStatusNoLink: "No such link"
        case kSCStatusStale: "Write attempted on stale version of object"
        case kSCStatusMaxLink: "Maximum link count exceeded"
        case kSCStatusReachabilityUnknown: "Network reachability cannot be determined"
        case kSCStatusConnectionNoService: "Network service for connection not available"
        case kSCStatusConnectionIgnore: "Network connection information not available at this time"
        default: "Unknown error"
        }
    if (1...lastErrno).contains(status), let words = unsafe strerror(status) {
        // glibc's texts of its own codes are constants.
        return unsafe UnsafePointer(words)
    }
    // A static string in UTF-8 ends in a zero byte, and CChar is its bytes' other name.
    return unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// The status of the calling thread's most recent call into this library, as an error object.
///
/// - Returns: An error in `kCFErrorDomainSystemConfiguration` whose code is `SCError()`. Unlike Apple's it carries no
///   description; `SCErrorString(_:)` has the words.
public func SCCopyLastError() -> CFError {
    CFErrorCreate(
        kCFAllocatorDefault,
        kCFErrorDomainSystemConfiguration.coreFoundationString,
        CFIndex(SCError()),
        nil
    )
}

/// `EHWPOISON`, the highest code that Linux has.
private let lastErrno: Int32 = 133

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
/// The object was changed by another process since it was read.
public let kSCStatusStale = 3005
/// There are too many links.
public let kSCStatusMaxLink = 3006
/// The kernel refused to say whether the target is reachable (linux-paths section 4.2, row 6).
public let kSCStatusReachabilityUnknown = 4001
/// There is no network service for the connection.
public let kSCStatusConnectionNoService = 5001
/// The connection's information is not available now.
public let kSCStatusConnectionIgnore = 5002

/// The calling thread's last status, as `errno` is: never seen or changed by another thread.
enum LastError {
    /// No destructor: the value is the pointer's bit pattern, nothing is owned.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    static var code: Int32 {
        guard let key else { return Int32(kSCStatusFailed) }
        return unsafe Int32(truncatingIfNeeded: Int(bitPattern: pthread_getspecific(key)))
    }

    static func set(_ status: Int) {
        guard let key else { return }
        unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: status))
    }
}

/// A `kSCStatus…` code on its way to the thread's last error.
struct StatusError: Error {
    let code: Int

    init(_ code: Int) {
        self.code = code
    }
}
