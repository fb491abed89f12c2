// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
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

/// How many descriptors this process may have open, `RLIMIT_NOFILE` (getrlimit(2)); `UInt64.max` is unlimited.
package struct DescriptorLimit: Sendable, Hashable {
    /// What holds now.
    package var soft: UInt64
    /// What the process may raise it to without a privilege.
    package var hard: UInt64

    /// Reads the limit; nil when the system refuses.
    package static func read() -> DescriptorLimit? {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        return DescriptorLimit(soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max))
    }

    /// Raises the soft limit to the hard one.
    ///
    /// The usual soft limit of 1,024 is there for programs that use select(2), which knows no larger descriptors. No child
    /// process inherits this one: reachd starts none.
    ///
    /// - Throws: when the system refuses; the limit stays what it was.
    package static func raise() throws(SystemError) {
        var limit = rlimit()
        _ = try systemCall("getrlimit") { unsafe getrlimit(resource, &limit) }
        guard limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = try systemCall("setrlimit") { unsafe setrlimit(resource, &limit) }
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}

/// The C library's heap.
package enum HeapMemory {
    /// Gives the memory that is free but held back to the system: after work that needed much and is over. Any thread;
    /// takes milliseconds. The corresponding C function is `malloc_trim(3)`.
    package static func trim() {
        malloc_trim(0)
    }

    /// Lets every block of 8 MiB or more go back to the system when it is freed, and of the others all but 4 MiB at the heap's end.
    ///
    /// By itself the C library learns from the first large block that is freed to keep the next ones, up to 32 MiB each: one large
    /// request would be paid for until the end. Once, before there are threads. The C function is `mallopt(3)`.
    package static func returnLargeBlocks() {
        mallopt(M_MMAP_THRESHOLD, 8 << 20)
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
    }
}
