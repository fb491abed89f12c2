// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import TestSupport
import Testing

/// Sources that use NWPathMonitor as on Apple's systems report the loss of a real link: `Tests/NetworkWatcher` runs them.
@Suite(.enabled(if: Testbed.isAvailable, "\(Testbed.requirement)")) struct WatcherTests {
    /// Reads lines until each of these came.
    private func expect(_ lines: Set<String>, from program: ChildProcess) throws {
        var missing = lines
        while !missing.isEmpty {
            let line = try #require(program.readLine(), "missing: \(missing)")
            missing.remove(line)
        }
    }

    @Test(
        "A cable is pulled and plugged: a shared monitor, a stream and a sequence report it",
        .timeLimit(.minutes(15))
    )
    func cable() async throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("NetworkWatcher")
            .path
        try await Testbed.with { testbed in
            try testbed.base()
            let watcher = try ChildProcess([program], in: testbed.namespace)
            defer {
                watcher.kill(9)
                watcher.wait()
            }
            let online: Set = [
                "shared: true wiredEthernet", "stream: online [\"eth0\"] [\"192.0.2.1\"]", "sequence: satisfied",
            ]
            try expect(online, from: watcher)
            try testbed.p("link set p0 down")
            try expect(["shared: false none", "stream: offline", "sequence: unsatisfied"], from: watcher)
            try testbed.p("link set p0 up")
            try expect(online, from: watcher)
        }
    }
}
