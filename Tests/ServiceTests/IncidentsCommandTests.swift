// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite("reachd incidents", .timeLimit(.minutes(15)))
struct IncidentsCommandTests {
    private static let text = """
        targets:
          - {id: web, name: Web shop, address: 127.0.0.1, group: a, probe: {type: tcp, port: 1, interval: 200ms, fall: 1}}
          - {id: db, address: 127.0.0.1, group: b, probe: {type: tcp, port: 1, interval: 200ms, fall: 1}}
        """

    /// A service with one incident of two targets.
    private func service() throws -> (RunningService, [String]) {
        let service = try RunningService(Self.text)
        while try service.get("/incidents").text.contains("127.0.0.1 refuses connections: 2 targets down") == false {}
        return (service, ["--url", "http://127.0.0.1:\(service.port)"])
    }

    private func id(_ service: RunningService) throws -> String {
        let text = try service.get("/incidents").text
        return String(try #require(text.firstMatch(of: /"id":"([0-9a-f]+-[0-9]+)"/)).1)
    }

    @Test("the list, by filters, and one incident with evidence, timeline and members")
    func reading() throws {
        let (service, url) = try service()
        defer { withExtendedLifetime(service) {} }
        let id = try id(service)
        let list = try Reachd.run(["incidents"] + url)
        #expect(list.status == 0 && list.lines.count == 2)
        #expect(
            list.lines.last?.firstMatch(
                of:
                    /^down +\d\d:\d\d:\d\d +\d+ s +2\/2 +[0-9a-f]+-\d+ +127\.0\.0\.1 refuses connections: 2 targets down$/
            ) != nil,
            "\(list.output)"
        )
        #expect(try Reachd.run(["incidents", "--group", "b", "--state", "open"] + url).lines.count == 2)
        let none = try Reachd.run(["incidents", "--state", "closed"] + url)
        #expect(none.status == 0 && none.output == "no incidents match\n")
        let report = try Reachd.run(["incidents", id] + url).lines
        #expect(report.first == "127.0.0.1 refuses connections: 2 targets down")
        #expect(report.contains("  id            \(id)"))
        #expect(report.contains("  cause         target, refusal (127.0.0.1)"))
        #expect(report.contains("  evidence      connect: Connection refused"))
        #expect(report.contains { $0.contains("  opened         1 target: ") })
        #expect(report.contains { $0.hasPrefix("Web shop  down   ") }, "\(report)")
        let json = try Reachd.run(["incidents", id, "--json"] + url).output
        #expect(json.hasPrefix(#"{"id":"\#(id)","title":"#))
    }

    @Test("acknowledging, muting and notes, and their ends")
    func changing() throws {
        let (service, url) = try service()
        defer { withExtendedLifetime(service) {} }
        let id = try id(service)
        let report = try Reachd.run(
            ["incidents", id, "--ack", "--by", "anna", "--note", "the disk\nis full", "--mute", "2h"] + url
        ).lines
        #expect(report.contains { $0.hasPrefix("  acknowledged  by anna, ") }, "\(report)")
        #expect(report.contains { $0.hasPrefix("  muted until   ") })
        #expect(report.contains("    the disk") && report.contains("    is full"))
        let list = try Reachd.run(["incidents"] + url).output
        #expect(list.contains("[acknowledged by anna, muted]"))
        let ended = try Reachd.run(["incidents", id, "--unack", "--unmute"] + url).lines
        #expect(!ended.contains { $0.hasPrefix("  acknowledged ") || $0.hasPrefix("  muted until") })
        let named = try Reachd.run(["incidents", id, "--ack"] + url, environment: ["LOGNAME": "bob"]).lines
        #expect(named.contains { $0.hasPrefix("  acknowledged  by bob") })
    }

    @Test("a mute that is over is not shown")
    func muted() throws {
        func incident(_ until: String) -> String {
            #"{"id":"ab-5","title":"it is down","state":"open","severity":"down","muted_until":"\#(until)"}"#
        }
        let (over, on) = (incident("2020-01-01T00:00:00.000Z"), incident("9999-12-31T23:59:59.999Z"))
        let server = try CannedServer { path in
            .json(path.hasPrefix("/incidents/") ? over : #"{"incidents":[\#(over),\#(on)],"open":2}"#)
        }
        let list = try Reachd.run(["incidents", "--url", server.url]).lines
        #expect(
            list.count == 3 && list[1].hasSuffix("it is down") && list[2].hasSuffix("it is down [muted]"),
            "\(list)"
        )
        let report = try Reachd.run(["incidents", "ab-5", "--url", server.url]).output
        #expect(report.hasPrefix("it is down\n") && !report.contains("muted"), "\(report)")
    }

    @Test("open ones first, the nearest fault before the others; in 80 columns whole titles, each above its id")
    func order() throws {
        func incident(_ id: Int, _ kind: String, _ state: String, _ title: String) -> String {
            #"{"id":"5f0c9a7e31d204b8-\#(id)","title":"\#(title)","state":"\#(state)","severity":"down","kind":"\#(kind)","#
                + #""opened_at":"2020-01-01T00:00:00.000Z","closed_at":"2020-01-01T00:01:40.000Z","targets":{"total":2,"failing":2}}"#
        }
        let router = "Packets end after 203.0.113.2 (hop 2 of 4): 2 targets unreachable"
        let list = [
            incident(4, "target", "open", "db is down: timeout"), incident(3, "hop", "open", router),
            incident(5, "link", "closed", "eth0 went down: 2 targets unreachable"),
        ]
        let server = try CannedServer { _ in .json(#"{"incidents":[\#(list.joined(separator: ","))],"open":2}"#) }
        let arguments = ["incidents", "--url", server.url]
        let wide = try Reachd.run(arguments).lines
        let titles = ["TITLE", router, "db is down: timeout", "eth0 went down: 2 targets unreachable"]
        #expect(wide.count == titles.count)
        for (line, title) in zip(wide, titles) { #expect(line.hasSuffix("  \(title)")) }
        let narrow = try Reachd.run(arguments, environment: ["COLUMNS": "80"]).lines
        #expect(narrow.allSatisfy { $0.count <= 80 })
        let words = narrow.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words.contains("Packets end after 203.0.113.2 "), "\(narrow)")
        let ids = narrow.compactMap { $0.firstMatch(of: /^ +(5f0c9a7e31d204b8-\d)$/)?.1 }.map(String.init)
        #expect(ids == ["5f0c9a7e31d204b8-3", "5f0c9a7e31d204b8-4", "5f0c9a7e31d204b8-5"], "\(narrow)")
    }

    @Test("--explain shows the elements that were considered, in 80 columns; without a diagnosis, why there is none")
    func explained() throws {
        let elements = [
            #"{"kind":"gateway","hop":1,"addresses":["192.0.2.1"],"targets":212,"silent":200,"reached_at":"2020-01-01T00:00:00.000Z","#
                + #""passed_at":"2020-01-01T00:00:00.000Z","text":"Packets passed it after the first silent probe."}"#,
            #"{"kind":"router","hop":2,"addresses":["10.9.1.2"],"targets":200,"silent":200,"at_fault":true,"#
                + #""text":"A trace ended before it, and no packet came to it since."}"#,
        ]
        let diagnosis =
            #"{"text":"A trace ended after 192.0.2.1 (hop 1).","targets":199,"omitted_targets":1,"elements":[\#(elements.joined(separator: ","))]}"#
        let start = #"{"id":"ab-5","title":"it is down","severity":"down","state":"#
        let bodies = [
            "/incidents/ab-5": start + #""open","diagnosis":\#(diagnosis)}"#, "/incidents/ab-6": start + #""open"}"#,
            "/incidents/ab-7": start + #""closed"}"#,
        ]
        let server = try CannedServer { path in .json(bodies[String(path.prefix(15))] ?? "{}") }
        func report(_ id: String) throws -> [String] {
            let arguments = ["incidents", id, "--explain", "--url", server.url]
            let lines = try Reachd.run(arguments, environment: ["COLUMNS": "80"]).lines
            return Array(try #require(lines.split(separator: "WHY").last).prefix { $0 != "TIMELINE" })
        }
        let lines = try report("ab-5")
        #expect(lines.first == "  A trace ended after 192.0.2.1 (hop 1).")
        #expect(lines[1].hasPrefix("  gateway  192.0.2.1: 200 of 212 targets silent, packet passed "), "\(lines)")
        #expect(
            lines.contains { $0.hasPrefix("✗ hop 2    10.9.1.2: 200 of 200 targets silent. A trace ended") },
            "\(lines)"
        )
        #expect(lines.last == "  1 more target fails and was not considered.")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(try report("ab-6").first?.hasPrefix("  The evidence shows the cause") == true)
        #expect(try report("ab-7").first?.hasPrefix("  The incident is closed") == true)
    }

    @Test(
        "what is refused as usage",
        arguments: [
            (["--ack"], "need the id"), (["--explain"], "needs the id"),
            (["e-1", "--state", "open"], "either an id or filters"),
            (["e-1", "--ack", "--unack"], "either --ack or --unack"),
            (["e-1", "--note", "a", "--announce", "b"], "either --note or --announce"),
            (["--limit", "0"], "from 1 to 1000"),
            (["e-1", "--mute", "2y"], "--mute"), (["--since", "soon"], "since: A time"),
            (["e-1"], "unknown incident e-1"),
            (["e-1", "--unack"], "unknown incident e-1"),
        ]
    )
    func usage(arguments: [String], words: String) throws {
        let service = try RunningService("targets: []")
        defer { withExtendedLifetime(service) {} }
        let result = try Reachd.run(["incidents"] + arguments + ["--url", "http://127.0.0.1:\(service.port)"])
        #expect(result.status == 2 && result.output.contains(words), "\(result.output)")
    }

    @Test("an incident and its acknowledgement are there after a kill")
    func killed() throws {
        let folder = try TemporaryFolder()
        let text = "history: {path: \(folder.path(of: "log.db"))}\n\(Self.text)"
        let environment = ["REACHD_HISTORY_ENABLED": "true"]
        let id: String
        do {
            let first = try RunningService(text, environment: environment)
            while try first.get("/incidents").text.contains("2 targets down") == false {}
            id = try self.id(first)
            let url = ["--url", "http://127.0.0.1:\(first.port)"]
            #expect(try Reachd.run(["incidents", id, "--ack", "--by", "anna"] + url).status == 0)
            #expect(try Reachd.run(["incidents", id, "--announce", "We work on it.", "--by", "bob"] + url).status == 0)
            first.process.kill(SIGKILL)
            _ = first.process.wait()
        }
        let second = try RunningService(text, environment: environment)
        let kept = try second.get("/incidents/\(id)").text
        #expect(
            kept.contains(#""text":"We work on it.","public":true"#) && kept.contains(#""state":"open""#)
                && kept.contains(#""by":"anna""#) && kept.contains(#""total":2"#),
            "\(kept)"
        )
    }
}
