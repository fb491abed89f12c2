// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What is told of the process, under the names that all programs have for it.
enum ProcessMetrics {
    static func write(_ process: ProcessStatistics, _ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("process_cpu_seconds", kind: .counter, "User and system time."))
        writer.open()
        writer.close(process.processorSeconds)
        writer.begin(MetricFamily("process_start_time_seconds", "When the process started."))
        writer.open()
        writer.close(process.startTime)
        let gauges: [(StaticString, StaticString, UInt64?)] = [
            ("process_virtual_memory_bytes", "Memory that is mapped.", process.virtualBytes),
            ("process_resident_memory_bytes", "Memory that is there.", process.residentBytes),
            ("process_threads", "Threads.", process.threads),
            ("process_open_fds", "Descriptors that are open.", process.openDescriptors),
            ("process_max_fds", "Descriptors that may be open.", process.maximumDescriptors),
        ]
        for (name, help, value) in gauges {
            guard let value else { continue }
            writer.begin(MetricFamily(name, help))
            writer.sample([], value)
        }
    }
}
