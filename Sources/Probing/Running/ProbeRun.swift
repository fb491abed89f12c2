// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// A run on its way: the means to end it. On the loop's thread.
package final class ProbeRun {
    private weak var work: ProbeWork?

    init(_ work: ProbeWork) {
        self.work = work
    }

    /// Ends the run: its descriptors are closed and its timers gone when this returns, and its completion is called
    /// with ``ProbeReason/cancelled`` in a later turn of the loop. A second call, or one after the end, does nothing.
    package func cancel() {
        work?.cancel()
        work = nil
    }
}
