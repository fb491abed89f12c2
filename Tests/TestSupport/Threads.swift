// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CTestSupport

/// The calling thread's number, by which /proc and strace know it.
package func currentThreadNumber() -> Int32 {
    reachd_test_thread_id()
}

/// Takes all capabilities from the calling thread and those that it starts; false when the kernel refused.
package func dropCapabilities() -> Bool {
    reachd_test_drop_capabilities() == 0
}
