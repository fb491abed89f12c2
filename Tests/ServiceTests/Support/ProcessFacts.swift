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
    static func residentMemory(of process: Int32) throws -> Int { try memory(of: process, "VmRSS:") }

    /// The most memory that it ever held, in KiB.
    static func peakMemory(of process: Int32) throws -> Int { try memory(of: process, "VmHWM:") }

    /// Its threads' numbers, by their names.
    static func threads(of process: Int32) throws -> [String: Int32] {
        var threads: [String: Int32] = [:]
        for number in try Command.run(["ls", "/proc/\(process)/task"]).split(separator: "\n") {
            let name = try Command.run(["cat", "/proc/\(process)/task/\(number)/comm"])
            threads[String(name.prefix { $0 != "\n" })] = Int32(number)
        }
        return threads
    }

    private static func memory(of process: Int32, _ name: String) throws -> Int {
        let text = String(decoding: try FileContents.read("/proc/\(process)/status", limit: 1 << 16), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
