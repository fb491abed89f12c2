// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

@Suite struct BootClockTests {
    @Test("The boot-time clock counts what the kernel reports as uptime")
    func uptime() throws {
        let before = try Self.uptime()
        let now = SystemBootClock().now()
        let after = try Self.uptime()
        // The file rounds down to hundredths.
        #expect(now >= before)
        #expect(now < after + 10_000_000)
    }

    @Test("The boot-time clock never goes back and is not behind the monotonic clock")
    func order() {
        var last: UInt64 = 0
        for _ in 0..<10_000 {
            let monotonic = SystemMonotonicClock().now()
            let boot = SystemBootClock().now()
            #expect(boot >= last)
            #expect(boot >= monotonic)
            last = boot
        }
    }

    private static func uptime() throws -> UInt64 {
        let text = String(decoding: try FileContents.read("/proc/uptime", limit: 100), as: UTF8.self)
        let parts = try #require(text.split(separator: " ").first).split(separator: ".").compactMap { UInt64($0) }
        try #require(parts.count == 2)
        return parts[0] * 1_000_000_000 + parts[1] * 10_000_000
    }
}
