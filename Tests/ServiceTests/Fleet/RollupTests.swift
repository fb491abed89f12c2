// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import TestSupport
import Testing

@Suite("Latencies of a fleet's targets", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct RollupTests {
    private static let day: Int64 = 86_400
    /// A day in the node's history: 100 probes, one of which failed; the others took 11.4 ms.
    private static let bucket = "8280b89929640101ac0263"

    /// Adds a completed day to the history of a node that does not run.
    private func add(_ target: String, day: Int64, to file: String, _ folder: TemporaryFolder) throws {
        let start = Date(timeIntervalSince1970: TimeInterval(day)).ISO8601Format()
        let text = """
            {"reachd":"history","version":1}
            {"kind":"rollup","resolution":"day","target":"\(target)","start":"\(start)","observed_from_seconds":0,\
            "observed_to_seconds":86400,"up_seconds":86400,"probes":100,"failures":1,"latency":[[300,99]]}
            """
        let result = try Reachd.run(["import", "--file", file, folder.write(text, to: "day.jsonl")])
        #expect(result.status == 0 && result.output.contains("1 records imported"), "\(result.output)")
    }

    @Test("A node stores the completed days of the fleet's targets, and every node answers with their latencies")
    func latencies() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let port = try TargetPort()
            let file = folder.path(of: "a.db")
            let history = "history: { path: \(file) }"
            let enabled = ["REACHD_HISTORY_ENABLED": "true"]
            try fleet.declare(["web": port.port])
            let first = try await fleet.start("a", configuration: history, environment: enabled)
            try await first.line("registered in the fleet")
            #expect(try await first.terminate() == 0)
            let today = Int64(Date().timeIntervalSince1970) / Self.day * Self.day
            let past = today - 2 * Self.day
            try add("web", day: past, to: file, folder)
            // Another target of the node, which the fleet does not have.
            try add("own", day: past, to: file, folder)
            // As if the node had been without the database since then.
            try await fleet.rows(
                """
                INSERT INTO rollup_positions VALUES ('a', \(Self.day * 1_000_000), \(past * 1_000_000))
                ON CONFLICT (node, length) DO UPDATE SET through = excluded.through
                """
            )
            let nodes = [
                try await fleet.start("a", configuration: history, environment: enabled),
                try await fleet.start("b", location: "paris"),
            ]
            try await fleet.expect(
                "SELECT target, location, node, start / 1000000, encode(data, 'hex') FROM rollups WHERE node = 'a'",
                "web default a \(past) \(Self.bucket)"
            )
            try await fleet.expect("SELECT state FROM verdicts", "up")
            for node in nodes {
                let uptime = try JSONSerialization.jsonObject(with: Data(try node.get("/targets/web/uptime").body))
                let windows = try #require((uptime as? [String: Any])?["windows"] as? [String: [String: Any]])
                #expect(windows["24h"]?["probes"] as? Int == 0 && windows["24h"]?["p50_seconds"] == nil)
                for window in ["7d", "30d"] {
                    #expect(windows[window]?["probes"] as? Int == 100 && windows[window]?["failures"] as? Int == 1)
                    for name in ["p50_seconds", "p90_seconds", "p95_seconds", "p99_seconds"] {
                        #expect(windows[window]?[name] as? Double == 0.011391, "\(windows)")
                    }
                }
                let timeline = try node.get("/targets/web/timeline?window=30d").text
                #expect(timeline.contains(#""probes":100,"failures":1,"p50_seconds":0.011391,"p95_seconds":0.011391"#))
                #expect(try node.get("/metrics").text.contains("reachd_fleet_skipped_rollups_total 0\n"))
            }
            // The status is as old as the last renewal of the lease.
            try await awaitValue("the number of stored days") {
                try nodes[0].get("/metrics").text.contains("reachd_fleet_stored_rollups_total 1\n") ? true : nil
            }
            // A row of another program.
            try await fleet.rows("UPDATE rollups SET data = '\\xff' WHERE node = 'a'")
            #expect(try nodes[1].get("/targets/web/uptime").text.contains(#""probes":0"#))
            #expect(try nodes[1].get("/metrics").text.contains("reachd_fleet_skipped_rollups_total 1\n"))
            try await fleet.rows("UPDATE rollups SET data = '\\x\(Self.bucket)' WHERE node = 'a'")
            #expect(try nodes[1].get("/targets/web/uptime").text.contains(#""probes":100"#))
            try fleet.apply("source: other\nsettings: { rollups: off }\ntargets: []", prints: "applied: ")
            #expect(try !nodes[1].get("/targets/web/uptime").text.contains(#""probes":100"#))
            withExtendedLifetime(port) {}
        }
    }
}
