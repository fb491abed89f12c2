// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import CoreFoundation
public import Foundation

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
