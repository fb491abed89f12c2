// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// A real Alertmanager on a free port of the loopback interface.
final class Alertmanager {
    private static let path = "/usr/bin/prometheus-alertmanager"
    static let isInstalled = unsafe access(path, X_OK) == 0

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    init() throws {
        folder = try TemporaryFolder()
        let file = try folder.write("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n", to: "alertmanager.yml")
        // A port that was free a moment ago.
        let probe = try HookServer()
        port = probe.port
        probe.close()
        process = try ChildProcess([
            Self.path, "--config.file=\(file)", "--storage.path=\(folder.path)", "--cluster.listen-address=",
            "--web.listen-address=127.0.0.1:\(port)",
        ])
        while let line = process.readLine(), !line.contains("Listening on") {}
        while (try? HTTPClient.get("/-/ready", port: port))?.status != 200 { sched_yield() }
    }

    /// What it lists, as soon as a condition holds for it; a test that waits for ever ends at its time limit.
    func alerts(_ matches: (String) -> Bool) throws -> String {
        while true {
            let text = try HTTPClient.get("/api/v2/alerts", port: port).text
            let trimmed = String(text.filter { $0 != "\n" })
            if matches(trimmed) { return trimmed }
            sched_yield()
        }
    }
}
