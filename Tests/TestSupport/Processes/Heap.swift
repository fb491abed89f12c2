// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CTestSupport

/// The heap of this process.
package enum Heap {
    /// Bytes in use; 0 under a sanitizer, which has a heap of its own.
    package static var bytesInUse: Int { Int(clamping: reachd_test_heap_in_use()) }
}
