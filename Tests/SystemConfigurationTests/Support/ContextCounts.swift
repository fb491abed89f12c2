// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import Synchronization
import SystemConfiguration

/// Counts what the library does with a context. The counters are found through `info`, so that tests may run side by
/// side.
final class ContextCounts: Sendable {
    struct Values: Sendable, Equatable {
        var retains = 0
        var releases = 0
        var descriptions = 0
    }

    private let values = Mutex(Values())

    var now: Values { values.withLock { $0 } }

    /// A context that points here. The test keeps this object alive.
    @unsafe var context: SCNetworkReachabilityContext {
        unsafe SCNetworkReachabilityContext(
            version: 0,
            info: Unmanaged.passUnretained(self).toOpaque(),
            retain: { info in
                unsafe ContextCounts.at(info).values.withLock { $0.retains += 1 }
                return unsafe info
            },
            release: { info in unsafe ContextCounts.at(info).values.withLock { $0.releases += 1 } },
            copyDescription: { info in
                unsafe ContextCounts.at(info).values.withLock { $0.descriptions += 1 }
                return unsafe Unmanaged.passRetained("kCFRunLoopDefaultMode" as CFString)
            }
        )
    }

    @unsafe static func at(_ info: UnsafeRawPointer) -> ContextCounts {
        unsafe Unmanaged<ContextCounts>.fromOpaque(info).takeUnretainedValue()
    }
}
