// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// What a process has taken of the machine.
enum ProcessFacts {
    /// How many descriptors it has open.
    static func descriptors(of process: Int32) throws -> Int {
        try Command.run(["ls", "/proc/\(process)/fd"]).split(separator: "\n").count
    }

    /// The memory that it holds, in KiB.
    static func residentMemory(of process: Int32) throws -> Int {
        let text = String(decoding: try FileContents.read("/proc/\(process)/status", limit: 1 << 16), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
