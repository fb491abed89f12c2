// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// What this process has taken of the machine, as the kernel counts it (proc(5)).
package struct ProcessStatistics: Sendable, Hashable {
    /// User and system time, in seconds.
    package var processorSeconds = 0.0
    /// Memory that is mapped, in bytes.
    package var virtualBytes: UInt64 = 0
    /// Memory that is there, in bytes.
    package var residentBytes: UInt64 = 0
    /// Threads.
    package var threads: UInt64 = 0
    /// When it started, in seconds since 1970.
    package var startTime = 0.0
    /// Descriptors that are open; nil when the kernel does not say.
    package var openDescriptors: UInt64?
    /// How many may be open; nil for any number.
    package var maximumDescriptors: UInt64?

    /// Nothing is known.
    package init() {}

    /// Reads what the kernel says now; nil without procfs. Any thread; some 30 µs, and a millisecond for thousands of
    /// descriptors before Linux 6.2.
    package static func read() -> ProcessStatistics? {
        guard let stat = try? FileContents.read("/proc/self/stat", limit: 4_096),
            let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        // The fields behind the program's name, which may hold anything; the first of them is the third.
        let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        func field(_ number: Int) -> UInt64 { fields.count > number - 3 ? UInt64(fields[number - 3]) ?? 0 : 0 }
        let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        var statistics = ProcessStatistics()
        statistics.processorSeconds = Double(field(14) + field(15)) / ticks
        statistics.threads = field(20)
        statistics.virtualBytes = field(23)
        statistics.residentBytes = field(24) * UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
        statistics.startTime = bootTime.map { $0 + Double(field(22)) / ticks } ?? 0
        statistics.openDescriptors = openDescriptors()
        if let limit = DescriptorLimit.read(), limit.soft != .max { statistics.maximumDescriptors = limit.soft }
        return statistics
    }

    /// When the machine was booted, in seconds since 1970.
    private static let bootTime: Double? = {
        guard let text = try? FileContents.read("/proc/stat", limit: 1 << 20) else { return nil }
        let line = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "btime ".utf8) }
        return line.flatMap { Double(String(decoding: $0.dropFirst(6), as: UTF8.self)) }
    }()

    private static func openDescriptors() -> UInt64? {
        var information = stat()
        // Since Linux 6.2 the size of the folder is their number.
        if unsafe stat("/proc/self/fd", &information) == 0, information.st_size > 0 {
            return UInt64(information.st_size)
        }
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe _ = closedir(folder) }
        var count: UInt64 = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Not `.` and `..`, nor the one that it is read with.
        return count > 3 ? count - 3 : 0
    }
}
