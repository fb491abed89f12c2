// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite("reachd top", .timeLimit(.minutes(15)))
struct TopCommandTests {
    private static let status =
        #"{"epoch":"ab","sequence":7,"network":{"path":{"interface":{"name":"eth0","type":"wired_ethernet"},"#
        + #""gateway":"192.0.2.1"},"system_configuration":{"status":"reachable_via_wifi","reachable":true}}}"#
    private static let incidents =
        #"{"incidents":[{"id":"ab-5","title":"127.0.0.1 refuses: 2 targets down","state":"open","severity":"down","#
        + #""opened_at":"2026-11-22T11:00:00.000Z","acknowledged":{"by":"anna"},"muted_until":"2020-01-01T00:00:00.000Z"},"#
        + #"{"id":"ab-2","title":"t000 is down","state":"open","severity":"down","covered_by":"ab-5"}],"open":2}"#

    /// So many targets: every tenth is down, and one has a name that a terminal could obey.
    private static func targets(_ count: Int) -> String {
        let rows = (0..<count).map { number in
            let name = number == 1 ? #""name":"東京\u001b[2J","# : ""
            let rest =
                number % 10 == 0
                ? #""state":"down","reason":{"code":"x","detail":"refused"},"cause":"target","last_result":{"success":false}"#
                : #""state":"up","last_result":{"success":true,"duration_seconds":0.0\#(1 + number % 9)}"#
            return
                #"{"id":"t\#(number < 10 ? "00" : number < 100 ? "0" : "")\#(number)",\#(name)"group":"g\#(number % 2)",\#(rest)}"#
        }
        return #"{"targets":[\#(rows.joined(separator: ","))],"total":\#(count)}"#
    }

    private static let timeline =
        #"{"windows":{"1h":{"slices":[{"probes":1,"p50_seconds":0.01},{"probes":1,"failures":1},{},"#
        + #"{"probes":1,"p50_seconds":0.08}]}}}"#

    /// A service with events that a test sends, on a stream that stays open until it is cut.
    private final class Service: Sendable {
        let server: CannedServer

        init(count: Int, events: [String] = []) throws {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            let targets = TopCommandTests.targets(count)
            server = try CannedServer { path in
                if path.hasPrefix("/status") { return .json(TopCommandTests.status) }
                if path.hasPrefix("/incidents") { return .json(TopCommandTests.incidents) }
                if path.contains("/timeline") { return .json(TopCommandTests.timeline) }
                if path.hasPrefix("/targets") { return .json(targets) }
                return .bytes(Array((head + events.joined()).utf8))
            }
        }
    }

    @Test("one screen: headline, counts, incidents, targets by severity with sparklines; the size is obeyed")
    func once() throws {
        let service = try Service(count: 30)
        let arguments = ["top", "--once", "--url", service.server.url]
        let result = try Reachd.run(arguments, environment: ["COLUMNS": "100", "LINES": "9"])
        #expect(result.status == 0)
        let lines = result.lines
        #expect(lines.count == 9)
        #expect(lines[0].hasPrefix("Online by eth0 (wired) via 192.0.2.1 "))
        #expect(lines[1].hasPrefix("30 targets: 3 down, 27 up "))
        #expect(lines[1].hasSuffix(" \(service.server.url)"))
        #expect(
            lines[2].hasPrefix("● 127.0.0.1 refuses: 2 targets down, ")
                && lines[2].hasSuffix(" [covers 1 older incident, acknowledged by anna]")
        )
        #expect(lines[3] == "STATE        TARGET         GROUP   LATENCY  RECENT          SINCE  WHY")
        #expect(
            lines[4]
                == "down         t000           g0                        ▂×█           refused (cause: target)"
        )
        #expect(lines[5].hasPrefix("down         t010") && lines[6].hasPrefix("down         t020"))
        #expect(lines[7].hasPrefix("up           t002"))
        #expect(lines[8] == "and 26 more: reachd targets --sort state")
        // By name, the hostile one is after those in ASCII.
        let all = try Reachd.run(arguments, environment: ["COLUMNS": "100", "LINES": "200"])
        #expect(all.lines.count == 34 && !all.output.contains("\u{1B}"))
        #expect(
            all.lines.last?.hasPrefix(#"up           東京\u{1b}[2J  g1      20.0 ms "#) == true,
            "\(all.lines.last ?? "")"
        )
        for columns in [20, 40, 60, 80, 140] {
            let screen = try Reachd.run(arguments, environment: ["COLUMNS": "\(columns)", "LINES": "12"])
            #expect(screen.lines.allSatisfy { $0.count <= columns }, "\(screen.output)")
        }
        let plain = try Reachd.run(arguments, environment: ["COLUMNS": "100", "LC_ALL": "C"])
        #expect(plain.output.contains(".x#") && plain.output.contains("* 127.0.0.1 refuses"))
        let color = try Reachd.run(arguments + ["--color", "always"])
        #expect(color.output.contains("\u{1B}[31mdown\u{1B}[0m"))
    }

    @Test("a fault before the targets is the first line, unless it is another node's")
    func sharedFault() throws {
        let title = "Gateway 192.0.2.1 does not answer: 3 targets unreachable"
        for origin in ["", #""origin":"berlin","#] {
            let server = try CannedServer { path in
                if path.hasPrefix("/status") { return .json(Self.status) }
                let incident =
                    #"{"id":"ab-6","title":"\#(title)","state":"open","cause":"local_network",\#(origin)"kind":"gateway"}"#
                if path.hasPrefix("/incidents") { return .json(#"{"incidents":[\#(incident)],"open":1}"#) }
                return .json(path.contains("/timeline") ? Self.timeline : Self.targets(3))
            }
            let once = ["top", "--once", "--url", server.url]
            let lines = try Reachd.run(once, environment: ["COLUMNS": "100", "LINES": "9"]).lines
            #expect(lines.first?.hasPrefix(origin.isEmpty ? title : "Online by eth0") == true, "\(lines)")
        }
    }

    @Test("without a terminal it is refused, and so is a service that does not answer")
    func refused() throws {
        let none = try Reachd.run(["top", "--url", "http://127.0.0.1:1"])
        #expect(none.status == 2)
        #expect(none.output == "reachd: reachd top needs a terminal; use reachd top --once, or reachd watch\n")
        #expect(try Reachd.run(["top", "--once", "--url", "http://127.0.0.1:1"]).status == 69)
        let other = try CannedServer { _ in .json("[") }
        #expect(try Reachd.run(["top", "--once", "--url", other.url]).status == 76)
    }

    private func start(_ url: String, columns: Int = 80, rows: Int = 12) throws -> PseudoTerminal {
        let environment = Reachd.cleanEnvironment.merging(["TERM": "xterm"]) { $1 }
        return try PseudoTerminal(
            [Reachd.path, "top", "--url", url],
            environment: environment,
            columns: columns,
            rows: rows
        )
    }

    @Test("keys scroll, filter, sort; the size follows the terminal; q gives the terminal back")
    func keys() throws {
        let service = try RunningService(
            "targets: ["
                + (0..<30).map { "{id: t\($0 + 10), address: 127.0.0.1, group: g\($0 % 3)}" }.joined(separator: ", ")
                + "]"
        )
        while try !service.get("/status").text.contains(#""up":30"#) {}
        let top = try start("http://127.0.0.1:\(service.port)")
        #expect(top.wait { $0.rows.last?.hasSuffix("1-8 of 30") == true } != nil)
        #expect(top.display.isAlternate && !top.display.hasCursor && !top.isOrdinary)
        #expect(top.display.rows[3].hasPrefix("up           t10 "))
        top.type("j")
        #expect(top.wait { $0.rows[3].hasPrefix("up           t11 ") } != nil)
        top.type("\u{1B}[6~")
        #expect(top.wait { $0.rows.last?.hasSuffix("10-17 of 30") == true } != nil)
        top.type("G")
        #expect(top.wait { $0.rows.last?.hasSuffix("23-30 of 30") == true } != nil)
        top.type("\u{1B}[A")
        #expect(top.wait { $0.rows.last?.hasSuffix("22-29 of 30") == true } != nil)
        top.type("/T2")
        #expect(
            top.wait { $0.rows.last?.hasPrefix("/T2_") == true && $0.rows.last?.hasSuffix("1-8 of 10") == true } != nil
        )
        top.type("q\u{7F}9\r")
        #expect(
            top.wait { $0.rows.last?.hasSuffix("filter: T29") == false && $0.rows.last?.contains("1-1 of 1") == true }
                != nil
        )
        top.type("\u{1B}")
        #expect(top.wait { $0.rows.last?.hasSuffix("1-8 of 30") == true } != nil)
        top.type("f")
        #expect(top.wait { $0.rows.last?.hasSuffix("no targets") == true } != nil)
        top.type("fss")
        #expect(top.wait { $0.rows.last?.contains("s sort: group") == true && $0.rows[4].contains(" g0") } != nil)
        try top.resize(columns: 60, rows: 8)
        #expect(top.wait { $0.rows.last?.hasSuffix("1-4 of 30") == true } != nil)
        #expect(top.display.unknown.isEmpty)
        top.type("q")
        #expect(top.wait() == 0)
        #expect(!top.display.isAlternate && top.display.hasCursor && top.isOrdinary)
    }

    @Test("what a terminal shows after many changes is what one that shows it anew would; a change costs little")
    func differences() throws {
        let service = try RunningService(
            "targets: [{id: a, address: 127.0.0.1, probe: {type: push, interval: 1h}}, "
                + (0..<998).map { "{id: t\($0), address: 127.0.0.1}" }.joined(separator: ", ") + "]"
        )
        while try !service.get("/status").text.contains(#""up":998"#) {}
        let url = "http://127.0.0.1:\(service.port)"
        let top = try start(url, columns: 100, rows: 24)
        #expect(top.wait { $0.rows.last?.hasSuffix("1-20 of 999") == true } != nil)
        let before = top.written
        for state in ["fail", "ok", "fail"] {
            #expect(
                try HTTPClient.request("POST", "/targets/a/heartbeat?status=\(state)", port: service.port).status == 204
            )
            let word = state == "ok" ? "up " : "down "
            _ = top.wait { $0.rows.contains { $0.hasPrefix(word) && $0.contains(" a ") } }
        }
        // The last row is written last: the terminal has read the whole screen.
        #expect(top.wait { $0.rows[2].contains("a is down") && $0.rows.last?.hasSuffix("1-19 of 999") == true } != nil)
        // Three changes: some rows each, and not the whole screen of 2.4 kB each time.
        #expect(top.written - before < 12_000, "\(top.written - before)")
        let once = try Reachd.run(["top", "--once", "--url", url], environment: ["COLUMNS": "100", "LINES": "24"]).lines
        // Without the clock and ages.
        func stable(_ rows: some Sequence<String>) -> [String] {
            rows.map { $0.replacing(/\ +\d+ (s|min)\b.*/, with: "") }
        }
        let shown = stable(top.display.rows)
        // Successful heartbeats have no duration, and the other program saw the last result alone.
        #expect(shown.contains { $0.hasPrefix("down         a ") && $0.hasSuffix(" ××") }, "\(shown)")
        for row in stable(once).dropFirst(5).dropLast() { #expect(shown.contains(row), "\(row)") }
        top.signal(SIGTERM)
        #expect(top.wait() == 128 + SIGTERM)
        #expect(!top.display.isAlternate && top.display.hasCursor && top.isOrdinary)
    }

    /// The times, in nanoseconds, of the first five loads of the lists by a program that gets these bytes from `/events`.
    private func loads(_ events: String, lost: Bool) throws -> [UInt64] {
        let times = Recorder<UInt64>()
        let server = try CannedServer { path in
            if path.hasPrefix("/status") {
                times.record(SystemMonotonicClock().now())
                return .json(Self.status)
            }
            if path.hasPrefix("/incidents") { return .json(Self.incidents) }
            if path.contains("/timeline") { return .json(Self.timeline) }
            if path.hasPrefix("/targets") { return .json(Self.targets(1)) }
            return .bytes(Array("HTTP/1.1 \(events)".utf8))
        }
        let top = try start(server.url)
        // Reads the terminal meanwhile: the program waits for a full one. Its clock is drawn each second.
        #expect(top.wait { _ in times.events.count > 4 } != nil)
        if lost { #expect(top.wait { $0.rows[0].hasPrefix("Lost since ") } != nil) }
        top.signal(SIGTERM)
        #expect(top.wait() == 128 + SIGTERM)
        return Array(times.events.prefix(5))
    }

    @Test("lists are not read again at once: not after a stream that asks for it, and ever less often without a stream")
    func pauses() throws {
        let problem = try loads("503 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", lost: true)
        // The first pause follows the load at the start. A slow machine makes them longer, and none shorter.
        for (number, least) in [200, 500, 1_000, 2_000 as UInt64].enumerated() {
            #expect(problem[number + 1] - problem[number] >= least * 1_000_000, "\(number): \(problem)")
        }
        let head = "200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let reset = try loads(head + "event: reset\ndata: {}\n\n", lost: false)
        for (first, second) in zip(reset, reset.dropFirst()) { #expect(second - first >= 200_000_000, "\(reset)") }
    }

    @Test("a lost service is said in the first line, and found again; Ctrl-C gives the terminal back")
    func lost() throws {
        let text = "targets: [{id: a, address: 127.0.0.1}]"
        let port = try FreePort.next()
        let folder = try TemporaryFolder()
        let file = try folder.write("listen: 127.0.0.1:\(port)\n\(text)", to: "reachd.yaml")
        func serve() throws -> ChildProcess {
            let process = try Reachd.start(["serve", "--config", file])
            while let line = process.readLine(), !line.contains("watching") {}
            while (try? HTTPClient.get("/readyz", port: port).status) != 200 {}
            return process
        }
        let first = try serve()
        let top = try start("http://127.0.0.1:\(port)")
        #expect(top.wait { $0.rows[1].hasPrefix("1 target: 1 up") } != nil)
        first.kill(SIGTERM)
        first.wait()
        #expect(
            top.wait {
                $0.rows[0].hasPrefix("Lost since ") && $0.rows[0].contains("reconnecting")
                    || $0.rows[0].hasPrefix("Lost since ")
            } != nil
        )
        let second = try serve()
        #expect(top.wait { !$0.rows[0].hasPrefix("Lost since ") } != nil)
        top.type("\u{3}")
        #expect(top.wait() == 0)
        #expect(!top.display.isAlternate && top.display.hasCursor && top.isOrdinary)
        second.kill(SIGTERM)
        second.wait()
    }
}
