// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite("Uptime and history over a restart, out of a file and into one", .timeLimit(.minutes(15)))
struct TargetHistoryTests {
    private let folder: TemporaryFolder
    private let text: String

    init() throws {
        folder = try TemporaryFolder()
        text = """
            auto_targets: false
            history: {path: \(folder.path(of: "a.db"))}
            targets:
              - {id: here, address: 127.0.0.1}
            """
    }

    private let environment = ["REACHD_HISTORY_ENABLED": "true"]

    private func service() throws -> RunningService { try RunningService(text, environment: environment) }

    /// Asks until an answer has something in it.
    private func poll(_ service: RunningService, _ path: String, _ part: String) throws -> HTTPReply {
        var reply = try service.get(path)
        while !reply.text.contains(part) { reply = try service.get(path) }
        return reply
    }

    @Test("by real HTTP: bodies, HEAD, validators; after kill -9 the changes are there, and after an end the time")
    func life() throws {
        let first = try service()
        let history = try poll(first, "/targets/here/history", "\"to\":\"up\"")
        #expect(history.status == 200)
        #expect(history["Content-Type"] == "application/json")
        #expect(history["Connection"] == "close")
        let uptime = try poll(first, "/api/v1/targets/here/uptime", "\"uptime_ratio\":1")
        #expect(uptime.text.contains("\"windows\":{\"1h\":{\"from\":"))
        for path in ["/targets/here/history", "/targets/here/uptime", "/targets/here/badge.svg?window=1h"] {
            let head = try HTTPClient.request("HEAD", path, port: first.port)
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head["Content-Length"] != nil)
        }
        let tag = try #require(history["ETag"])
        let again = try HTTPClient.request(
            "GET",
            "/targets/here/history",
            port: first.port,
            headers: ["If-None-Match": tag]
        )
        #expect(again.status == 304 && again.body.isEmpty)
        let badge = try first.get("/targets/here/badge.svg?window=24h")
        #expect(badge["Content-Type"] == "image/svg+xml" && badge.text.contains("100%"))
        #expect(try first.get("/targets/nobody/uptime").status == 404)
        first.process.kill(SIGKILL)
        _ = first.process.wait()
        let second = try service()
        #expect(try poll(second, "/targets/here/history", "\"to\":\"up\"").text.contains("\"to\":\"up\""))
        _ = try poll(second, "/targets/here/uptime", "\"uptime_ratio\":1")
        second.process.kill(SIGTERM)
        #expect(second.process.wait() == 0)
        let rows = try Reachd.run(["export", "--config", second.file, "--what", "rollups"], environment: environment)
        #expect(rows.status == 0)
        #expect(rows.output.contains("\"target\":\"here\""))
        #expect(rows.output.contains("\"up_seconds\":"))
    }

    @Test("export, import and export again give the same bytes, also while the service runs")
    func roundTrip() throws {
        let running = try service()
        _ = try poll(running, "/targets/here/history", "\"to\":\"up\"")
        let early = try Reachd.run(["export", "--file", folder.path(of: "a.db")])
        #expect(early.status == 0 && early.output.contains("\"kind\":\"event\""))
        let busy = try Reachd.run([
            "import", "--file", folder.path(of: "a.db"), folder.write(early.output, to: "x.jsonl"),
        ])
        #expect(busy.status == 69)
        #expect(busy.output.contains("stop the service first"))
        running.process.kill(SIGTERM)
        _ = running.process.wait()
        let whole = try Reachd.run(["export", "--file", folder.path(of: "a.db")])
        let file = try folder.write(whole.output, to: "whole.jsonl")
        let copy = folder.path(of: "b.db")
        let imported = try Reachd.run(["import", "--file", copy, file])
        #expect(imported.status == 0)
        #expect(imported.output.contains("\(whole.lines.count - 1) records imported, 0 already present"))
        #expect(try Reachd.run(["export", "--file", copy]).output == whole.output)
        let again = try Reachd.run(["import", "--file", copy, file])
        #expect(again.output.contains("0 records imported, \(whole.lines.count - 1) already present"))
        let table = try Reachd.run([
            "export", "--file", copy, "--format", "csv", "--what", "transitions", "--target", "here",
        ])
        #expect(table.lines.first?.hasPrefix("sequence,at,type,target") == true)
        #expect(table.lines.count == 2)
        #expect(try Reachd.run(["export", "--file", copy, "--format", "csv"]).status == 2)
        #expect(try Reachd.run(["export", "--file", copy, "--from", "x"]).status == 2)
        #expect(try Reachd.run(["export", "--file", folder.path(of: "none.db")]).status == 1)
        #expect(try Reachd.run(["import", "--file", copy, folder.write("modules: {}\n", to: "b.yml")]).status == 2)
        let broken = try folder.write(whole.output + "{\"kind\":\"event\"}\n", to: "broken.jsonl")
        let result = try Reachd.run(["import", "--file", copy, broken])
        #expect(result.status == 1)
        #expect(result.output.contains("broken.jsonl:\(whole.lines.count + 1): sequence is missing"))
    }
}
