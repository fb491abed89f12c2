// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
import Synchronization

/// Time that stands until a test moves it.
package final class FakeClock: WallClock {
    private let time: Mutex<Int64>

    package init(_ milliseconds: Int64 = 1_795_000_000_123) {
        time = Mutex(milliseconds)
    }

    package func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }

    package func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}
