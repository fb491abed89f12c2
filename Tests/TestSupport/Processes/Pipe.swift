// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CTestSupport
public import LinuxIO

/// A pipe whose two ends are closed on exec.
public struct Pipe: Sendable {
    /// The end to read from.
    public let reader: OwnedDescriptor
    /// The end to write to.
    public let writer: OwnedDescriptor

    /// Makes a pipe, `pipe2(2)`.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let code = unsafe reachd_test_pipe(&ends)
        guard code == 0 else { throw SystemError(code: code, operation: "pipe2") }
        reader = OwnedDescriptor(owning: ends[0])
        writer = OwnedDescriptor(owning: ends[1])
    }
}
