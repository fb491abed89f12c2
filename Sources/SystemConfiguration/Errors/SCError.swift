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
