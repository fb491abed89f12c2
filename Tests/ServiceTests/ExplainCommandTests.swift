// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("reachd explain and validate --diff", .timeLimit(.minutes(15)))
struct ExplainCommandTests {
    private static let text = """
        targets:
          - {id: github, name: Git Hub, address: 127.0.0.1, group: web, tags: {a: b}, depends_on: [router],
             probe: {type: tcp, port: 1, interval: 200ms, confirm_interval: 200ms, fall: 2}}
          - {id: router, address: 127.0.0.1}
          - {id: away, address: '203.0.113.1%nosuch0', probe: {type: icmp}}
          - {id: behind, address: 127.0.0.1, depends_on: [away], probe: {type: tcp, port: 1}}
        """

    private func service() throws -> (RunningService, [String]) {
        let service = try RunningService(Self.text)
        while try service.get("/targets/github").text.contains(#""state":"down""#) == false {}
        return (service, ["--url", "http://127.0.0.1:\(service.port)"])
    }

    @Test("why a target is down: evidence, rule, thresholds, path, parents, last result")
    func down() throws {
        let (service, url) = try service()
        defer { withExtendedLifetime(service) {} }
        let result = try Reachd.run(["explain", "github"] + url)
        #expect(result.status == 0)
        let lines = result.lines
        #expect(lines[0] == "● Git Hub (github) - 127.0.0.1")
        let head = /^     state: down since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d; \d+ s$/
        #expect(lines[1].firstMatch(of: head) != nil, "\(lines[1])")
        for line in [
            "    reason: connect: Connection refused", "     fault: the target itself",
            "  evidence: an answer came back, so the path works in both directions", "WHAT TO DO",
            "  Check on the server that the service runs and listens: 127.0.0.1:1 refuses connections (ss -ltn lists listeners).",
            "  The probe's results decided: 2 consecutive failures set it down, 2 consecutive successes set it up again.",
            "  It depends on router, which is up.", "  declared     127.0.0.1, origin config, group web, tags a:b",
            "  probe        tcp, port 1, every 200 ms, to confirm every 200 ms, timeout 200 ms, fall 2, rise 2",
        ] { #expect(lines.contains(line), "\(line) in \(result.output)") }
        #expect(lines.contains { $0.hasPrefix("  incident: Git Hub is down: connection refused (") })
        #expect(lines.contains { $0.hasPrefix("next probe: now, every 200 ms") })
        #expect(lines.contains { $0.hasPrefix("  This machine has a route to it by lo (loopback), source 127.0.0.1") })
        #expect(
            lines.contains { $0.hasPrefix("  last result  failure after ") && $0.contains("from 127.0.0.1: connect:") }
        )
        let verbose = try Reachd.run(["explain", "-v", "github"] + url).lines
        #expect(verbose.contains("    reason: connect: Connection refused (connect_refused)"))
        #expect(
            verbose.contains(
                "  evidence: an answer came back, so the path works in both directions (rule wrong_answer)"
            )
        )
        #expect(verbose.contains("  path         reachable_via_wifi -R -----ld"), "\(verbose)")
        let narrow = try Reachd.run(["explain", "github"] + url, environment: ["COLUMNS": "60"]).lines
        #expect(narrow.allSatisfy { $0.count <= 60 }, "\(narrow)")
    }

    @Test("the time of the next probe is the schedule's")
    func next() throws {
        let service = try RunningService(
            "targets: [{id: rare, address: 127.0.0.1, probe: {type: tcp, port: 1, interval: 1h, confirm_interval: 1h}}]"
        )
        let pattern = /"last_result":\{"at":"([^"]+)".*"next_probe_at":"([^T]+T([^.]+)[^"]*)"/
        var planned: Substring?
        while planned == nil {
            // The result is recorded before the next probe is planned.
            let match = try service.get("/targets/rare").text.firstMatch(of: pattern)
            if let match, match.2 > match.1 { planned = match.3 }
        }
        let due = try #require(planned)
        let lines = try Reachd.run(["explain", "rare", "--url", "http://127.0.0.1:\(service.port)"]).lines
        let line = lines.first { $0.hasPrefix("next probe: ") } ?? ""
        #expect(line.hasPrefix("next probe: \(due), in ") && line.hasSuffix(", every 1 h to confirm"), "\(lines)")
    }

    @Test("a push target is not described as probed")
    func calling() throws {
        let service = try RunningService(
            "targets: [{id: job, address: 127.0.0.1, probe: {type: push, interval: 200ms, grace: 300ms, fall: 1}}, "
                + "{id: new, address: 127.0.0.1, probe: {type: push, interval: 1h, grace: 5m, fall: 1}}]"
        )
        let url = ["--url", "http://127.0.0.1:\(service.port)"]
        while try service.get("/targets/job").text.contains(#""state":"down""#) == false {}
        let missed = try Reachd.run(["explain", "job"] + url).lines
        #expect(missed.contains("  evidence: no heartbeat arrived, and nothing else is known to be wrong"))
        #expect(missed.contains("  probe        push, every 200 ms, grace 300 ms, fall 1, rise 1"))
        let new = try Reachd.run(["explain", "new"] + url)
        #expect(new.output.contains("Waiting for its first results.") && !new.output.contains("fault:"))
        #expect(try HTTPClient.request("POST", "/targets/new/heartbeat?status=fail", port: service.port).status == 204)
        let failed = try Reachd.run(["explain", "new"] + url).lines
        #expect(
            failed.contains("  evidence: its heartbeat reported a failure")
        )
    }

    @Test("a target without its first result has no cause")
    func asked() throws {
        let silent = try BoundDatagramSocket()
        defer { withExtendedLifetime(silent) {} }
        let service = try RunningService(
            "targets: [{id: new, address: 127.0.0.1, probe: {type: udp, port: \(silent.port), interval: 1h, timeout: 1h, "
                + "payload: x, expect: {reply: .}}}]"
        )
        let url = ["--url", "http://127.0.0.1:\(service.port)"]
        while try service.get("/targets/new").text.contains(#""code":"not_probed""#) == false {}
        let lines = try Reachd.run(["explain", "new"] + url).lines
        #expect(lines.contains("    reason: Waiting for the first result."))
        #expect(lines.contains("  Waiting for its first results."))
        #expect(!lines.contains { $0.contains("fault:") }, "\(lines)")
    }

    @Test("no path, a parent, no probe")
    func others() throws {
        let (service, url) = try service()
        defer { withExtendedLifetime(service) {} }
        let away = try Reachd.run(["explain", "away"] + url).lines
        #expect(away.contains("  The path decided: this machine has no usable route to it, so its probe is not run."))
        #expect(away.contains("  This machine has no usable route to it: no such interface."))
        let behind = try Reachd.run(["explain", "behind"] + url).lines
        #expect(behind.contains("  It depends on away, which is not usable: it is not probed until that recovers."))
        #expect(behind.contains("  It depends on away, which is unreachable."))
        #expect(behind.contains("next probe: when away is usable"))
        #expect(behind.contains("  See reachd explain away: this target is probed again when that one is usable."))
        let router = try Reachd.run(["explain", "router"] + url).lines
        #expect(!router.contains("WHAT TO DO"))
        #expect(router.contains("  It has no probe: the path alone decides."))
        let json = try Reachd.run(["explain", "--json", "github"] + url).output
        #expect(json.contains(#""decision":{"basis":"probe","rule":"wrong_answer"}"#))
    }

    @Test("the last five changes with how long each state lasted, and what to do")
    func changes() throws {
        func transition(_ minute: Int, _ from: String, _ to: String) -> String {
            #"{"sequence":\#(minute),"at":"2026-11-22T11:\#(minute):00.000Z","from":"\#(from)","to":"\#(to)"}"#
        }
        let list = [
            transition(59, "up", "unreachable"), transition(50, "up", "up"), transition(40, "down", "up"),
            transition(35, "up", "down"), transition(30, "down", "up"), transition(20, "up", "down"),
            transition(10, "unknown", "up"),
        ]
        let server = try CannedServer { path in
            if path.hasPrefix("/targets/nas/history") {
                return .json(#"{"target":"nas","transitions":[\#(list.joined(separator: ","))]}"#)
            }
            if path.hasPrefix("/status") { return .json(#"{"generated_at":"2026-11-22T12:00:00.000Z"}"#) }
            return .json(#"{"id":"nas","state":"unreachable","cause":"dns","advice":"Check name resolution."}"#)
        }
        let lines = try Reachd.run(["explain", "nas", "--url", server.url]).lines
        let first = try #require(lines.firstIndex(of: "CHANGES"))
        #expect(
            lines[(first + 1)...(first + 6)] == [
                "  11:59:00  unreachable, for 1 min so far", "  11:40:00  up for 19 min",
                "  11:35:00  down for 5 min",
                "  11:30:00  up for 5 min", "  11:20:00  down for 10 min", "WHAT TO DO",
            ]
        )
        #expect(lines[first + 7] == "  Check name resolution.", "\(lines)")
    }

    @Test("a typo is helped: ids, commands, options")
    func typos() throws {
        let (service, url) = try service()
        defer { withExtendedLifetime(service) {} }
        let id = try Reachd.run(["explain", "gihtub"] + url)
        #expect(id.status == 2)
        #expect(id.output == "reachd: unknown target gihtub; did you mean github?\n")
        let none = try Reachd.run(["explain", "zzzzzzzz"] + url)
        #expect(none.output == "reachd: unknown target zzzzzzzz; known: github, router, away, behind\n")
        #expect(try Reachd.run(["explain", "a/../b?c"] + url).status == 2)
        let command = try Reachd.run(["staus"])
        #expect(command.status == 2)
        #expect(command.output == "Error: unknown command 'staus'; did you mean reachd status?\n")
        #expect(try Reachd.run(["targets", "--sate", "up"]).output.contains("--state"))
        #expect(try Reachd.run(["targets", "--state", "dwn"]).output.contains("down"))
    }

    @Test("validate --diff prints how a reload would change the targets")
    func difference() throws {
        let (service, url) = try service()
        let same = try Reachd.run(["validate", service.file, "--diff", url[1]])
        #expect(same.status == 0)
        #expect(same.lines.last == "0 added, 0 changed, 0 removed, 4 unchanged")
        let folder = try TemporaryFolder()
        let changed = """
            targets:
              - {id: router, address: 127.0.0.2, group: lan}
              - {id: fresh, address: 127.0.0.1}
              - {id: away, address: '203.0.113.1%nosuch0', probe: {type: icmp, interval: 1m}}
            """
        let file = try folder.write(changed, to: "new.yaml")
        let result = try Reachd.run(["validate", file, "--diff", url[1]])
        #expect(result.status == 3)
        #expect(
            result.lines == [
                "\(file): valid, 3 targets", "+ fresh",
                "~ router  address: \"127.0.0.1\" → \"127.0.0.2\"; group: none → \"lan\"",
                "~ away  probe.interval_seconds: 30 → 60", "- behind", "- github",
                "1 added, 2 changed, 2 removed, 0 unchanged",
            ]
        )
        // It is what comes of it.
        try service.reload(changed)
        #expect(
            service.waitForLine { $0.contains("configuration reloaded") }?.contains(
                "added=1 removed=2 unchanged=0 updated=2"
            ) == true
        )
        #expect(try Reachd.run(["validate", file, "--diff", url[1]]).status == 0)
        #expect(try Reachd.run(["validate", file, "--diff", "http://127.0.0.1:1"]).status == 69)
    }

    @Test("a server that sends impossible numbers ends no command")
    func impossibleNumbers() throws {
        let body = """
            {"id":"a","name":"a","state":"up","traffic":{"recent":{"minutes":10,"connections":1,"observed_share":-1e308}},
             "targets":{"total":-9223372036854775808},"incidents":[{"id":"a"}],"open":-9223372036854775808,
             "probe":{"type":"tcp","interval_seconds":1e308},"last_result":{"duration_seconds":-1e308}}
            """
        let server = try HookServer { _, _ in .content(body, type: "application/json") }
        let place = ["--url", "http://127.0.0.1:\(server.port)"]
        let explained = try Reachd.run(["explain", "a"] + place)
        #expect(explained.status == 0)
        #expect(explained.output.contains("Only -1000000000000 % of that time was observed."))
        for command in [["status"], ["incidents"], ["incidents", "a"], ["targets"], ["top", "--once"]] {
            let result = try Reachd.run(command + place)
            #expect(result.status < 128, "\(command): \(result.output)")
        }
    }
}
