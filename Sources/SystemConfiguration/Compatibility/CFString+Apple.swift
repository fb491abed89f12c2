// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CoreFoundation
public import Foundation

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
