// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization
import TestSupport
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import ReachAPI

@Suite("History, uptime and badges")
struct TargetHistoryRouteTests {
    private func sequences(_ page: JSONValue) -> [Double] {
        (page["transitions"]?.array ?? []).compactMap { $0["sequence"]?.number }
    }

    /// The target's state changes with each.
    private func turn(_ rig: HistoryFixture, _ count: Int) throws {
        for index in 0..<count {
            rig.pass(seconds: 10)
            rig.fixture.emit("web", index % 2 == 0 ? .down() : .up())
        }
        try rig.keep()
    }

    private func rig(wiring: RequestHandler.ServiceDependencies = RequestHandler.ServiceDependencies()) throws
        -> HistoryFixture
    {
        let rig = try HistoryFixture(wiring: wiring)
        rig.fixture.registry.apply(targets: [.address("web"), .address("other", "198.51.100.9")])
        rig.fixture.emit("web", .up())
        return rig
    }

    @Test("A target's changes are listed newest first in pages, and new changes do not move the pages")
    func pages() throws {
        let rig = try rig()
        try turn(rig, 11)
        let all = sequences(try rig.json("/targets/web/history?limit=1000"))
        #expect(all.count == 12)
        #expect(all == all.sorted(by: >))
        var seen: [Double] = []
        var query = "limit=5"
        while true {
            let page = try rig.json("/api/v1/targets/web/history?\(query)")
            seen += sequences(page)
            // More happens while somebody reads.
            try turn(rig, 2)
            guard let next = page["next"]?.string else { break }
            query = "limit=5&cursor=\(next)"
        }
        #expect(seen == all)
        #expect(sequences(try rig.json("/targets/other/history")).isEmpty)
        let first = try rig.json("/targets/web/history?limit=1")["transitions"]?.array?.first
        #expect(first?["from"]?.string == "up" || first?["from"]?.string == "unreachable")
        let down = try rig.json("/targets/web/history")["transitions"]?.array?.first {
            $0["to"]?.string == "unreachable"
        }
        #expect(down?[["reason", "code"]]?.string == "no_route")
        #expect(down?["cause"]?.string == "local_network")
    }

    @Test("from and to bound the changes; an invalid time, number or cursor is an error")
    func queries() throws {
        let rig = try rig()
        let start = rig.fixture.clock.now()
        try turn(rig, 9)
        let from = Timestamp(milliseconds: start.milliseconds + 20_000)
        let to = Timestamp(milliseconds: start.milliseconds + 50_000)
        let some = try rig.json("/targets/web/history?from=\(from)&to=\(to)")
        let moments = (some["transitions"]?.array ?? []).compactMap {
            $0["at"]?.string.flatMap(Timestamp.init(parsing:))
        }
        #expect(moments.count == 3)
        #expect(moments.allSatisfy { $0 >= from && $0 < to })
        for bad in [
            "from=yesterday", "to=", "limit=0", "limit=1001", "cursor=x", "cursor=a.0", "what=1", "from=1&from=2",
        ] {
            #expect(rig.respond("/targets/web/history?\(bad)").status == 400, "\(bad)")
        }
        let foreign = rig.respond("/targets/web/history?cursor=0123456789abcdef.5")
        #expect(foreign.status == 400)
        #expect(foreign.text.contains("\"parameter\":\"cursor\""))
        #expect(rig.respond("/targets/no/history").status == 404)
        #expect(rig.respond("/targets/%ff/uptime").status == 400)
        #expect(rig.respond("/targets/web/history", method: "POST").status == 405)
        #expect(rig.respond("/targets/web/uptime", method: "OPTIONS").header("Allow") == "GET, HEAD, OPTIONS")
    }

    @Test("Uptime and coverage of each window; unknown values are absent")
    func uptime() throws {
        let rig = try rig()
        var probed = try TargetSettings.probed("asked")
        probed.name = "Asked"
        rig.fixture.registry.apply(targets: [.address("web"), probed])
        rig.fixture.emit("asked", .up())
        let empty = try rig.json("/targets/asked/uptime")
        #expect(empty[["windows", "1h", "uptime_ratio"]] == nil)
        #expect(empty[["windows", "1h", "coverage_ratio"]]?.number == 0)
        #expect(empty[["windows", "30d", "p50_seconds"]] == nil)
        for index in 0..<40 {
            rig.pass(seconds: 10)
            let isFailure = index >= 30
            let result = ProbeResult(
                outcome: isFailure ? .failure : .success,
                reason: isFailure ? .connectRefused : nil,
                detail: "",
                duration: .milliseconds(index + 1)
            )
            rig.fixture.record("asked", result)
        }
        let body = try rig.json("/targets/asked/uptime")
        for window in ["1h", "24h", "7d", "30d"] {
            let found = try #require(body[["windows", .init(window)]])
            #expect(found[["state_seconds", "up"]]?.number == 300)
            #expect(found[["state_seconds", "down"]]?.number == 90)
            #expect(found["uptime_ratio"]?.number == 0.76923)
            #expect(found["probes"]?.number == 40)
            #expect(found["failures"]?.number == 10)
            let median = try #require(found["p50_seconds"]?.number)
            #expect(abs(median - 0.015) <= 0.015 / 64)
        }
        let coverage = try #require(body[["windows", "1h", "coverage_ratio"]]?.number)
        #expect(coverage > 0.106 && coverage <= 390.0 / 3_600)
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        for (name, value) in [
            ("TargetUptime", body), ("TargetUptime", empty), ("TargetHistory", try rig.json("/targets/web/history")),
        ] {
            let schema = try #require(checker.document[["components", "schemas", name]])
            #expect(checker.faults(value, against: schema).isEmpty, "\(name)")
        }
    }

    @Test("A badge is a small image with escaped text and supports revalidation by ETag")
    func badge() throws {
        let rig = try rig()
        let hostile = "%3Cscript%3E%22%27%26%F0%9F%98%80"
        for query in ["label=\(hostile)", "label=\(hostile)&window=24h", "type=uptime&window=7d", "", "type=state"] {
            let response = rig.respond("/targets/web/badge.svg?\(query)")
            #expect(response.status == 200, "\(query)")
            #expect(response.header("Content-Type") == "image/svg+xml")
            #expect(response.header("Cache-Control") == "no-cache")
            #expect(!response.text.contains("<script"))
            if query.contains("label") { #expect(response.text.contains("&lt;script&gt;&quot;&#39;&amp;😀")) }
            let tag = try #require(response.header("ETag"))
            let again = rig.respond("/targets/web/badge.svg?\(query)", headers: [HTTPHeader("If-None-Match", tag)])
            #expect(again.status == 304, "\(query)")
            let folder = try TemporaryFolder()
            let file = try folder.write(response.text, to: "badge.svg")
            try Command.run(["python3", "-c", "import sys,xml.dom.minidom as m;m.parse(sys.argv[1])", file])
        }
        #expect(rig.respond("/targets/web/badge.svg").text.contains(">up</text>"))
        #expect(rig.respond("/targets/other/badge.svg?window=1h").text.contains(">no data</text>"))
        let long = String(repeating: "m", count: 500)
        #expect(rig.respond("/targets/web/badge.svg?label=\(long)").bytes.count < 1_500)
        #expect(rig.respond("/targets/web/badge.svg?type=state&window=1h").status == 400)
        #expect(rig.respond("/targets/web/badge.svg?window=2h").status == 400)
        #expect(Badge(label: "a", uptime: 1).message == "100%")
        #expect(Badge(label: "a", uptime: 0.99999).message == "99.99%")
        #expect(Badge(label: "a", uptime: 0.05).message == "5.00%")
        #expect(Badge(label: "a", uptime: 0).message == "0.00%")
        #expect(Badge(label: "a", uptime: nil).message == "no data")
    }

    @Test("The response reports a history that is disabled or cannot be read")
    func unavailable() throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: [.address("web")])
        for path in ["history", "uptime", "badge.svg?type=uptime"] {
            let response = fixture.respond("/targets/web/\(path)")
            #expect(response.status == 501)
            #expect(response.text.contains("urn:reachd:problem:no_history"))
        }
        #expect(fixture.respond("/targets/web/badge.svg").status == 200)
        let rig = try rig()
        try Command.run(["sh", "-c", "mv \(rig.path) \(rig.path).gone"])
        for path in ["history", "uptime", "badge.svg?type=uptime"] {
            let response = rig.respond("/targets/web/\(path)")
            #expect(response.status == 503)
            #expect(response.header("Retry-After") == "1")
            #expect(response.text.contains("urn:reachd:problem:history_unavailable"))
            #expect(!response.text.contains(rig.folder.path))
        }
        try Command.run(["sh", "-c", "mv \(rig.path).gone \(rig.path)"])
        #expect(rig.respond("/targets/web/uptime").status == 200)
    }

    @Test("Reads wait in a bounded queue, and the response follows the read")
    func later() throws {
        let jobs = JobList()
        let rig = try rig(wiring: RequestHandler.ServiceDependencies(read: { jobs.append($0) }))
        let waiting = (0..<RequestHandler.maximumPendingReads).map { _ in rig.respond("/targets/web/uptime") }
        let refused = rig.respond("/targets/web/history")
        #expect(refused.status == 503)
        #expect(refused.header("Retry-After") == "1")
        #expect(waiting[0].late == nil)
        #expect(jobs.run() == waiting.count)
        let first = try #require(waiting[0].late)
        #expect(first.status == 200)
        for response in waiting.dropFirst() { #expect(response.late?.bytes == first.bytes) }
        // The server leaves the body out.
        let head = rig.respond("/targets/web/uptime", method: "HEAD")
        jobs.run()
        #expect(head.late?.headers == first.headers)
        let tag = HTTPHeader("If-None-Match", try #require(first.header("ETag")))
        let known = rig.respond("/targets/web/uptime", headers: [tag])
        jobs.run()
        #expect(known.late?.status == 304)
        let zipped = rig.respond("/targets/web/uptime", headers: [HTTPHeader("Accept-Encoding", "gzip")])
        jobs.run()
        let coded = try #require(zipped.late)
        #expect((coded.header("Content-Encoding") == "gzip") == (first.bytes.count >= 1_024))
    }
}
