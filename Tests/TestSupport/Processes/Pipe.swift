// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CTestSupport
package import LinuxIO

/// A pipe whose two ends are closed on exec.
package struct Pipe: Sendable {
    /// The end to read from.
    package let reader: OwnedDescriptor
    /// The end to write to.
    package let writer: OwnedDescriptor

    /// Makes a pipe, `pipe2(2)`.
    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let code = unsafe reachd_test_pipe(&ends)
        guard code == 0 else { throw SystemError(code: code, operation: "pipe2") }
        reader = OwnedDescriptor(owning: ends[0])
        writer = OwnedDescriptor(owning: ends[1])
    }
}
