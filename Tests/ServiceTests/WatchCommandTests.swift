// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("reachd watch", .timeLimit(.minutes(15)))
struct WatchCommandTests {
    /// A service on a port that stays the same, with an event log that outlives it.
    private final class Restartable {
        let folder: TemporaryFolder
        let port: UInt16
        private(set) var process: ChildProcess

        init() throws {
            folder = try TemporaryFolder()
            port = try FreePort.next()
            process = try Self.start(folder, port)
        }

        var url: String { "http://127.0.0.1:\(port)" }

        private static func start(_ folder: TemporaryFolder, _ port: UInt16) throws -> ChildProcess {
            let text = """
                listen: 127.0.0.1:\(port)
                history: {path: '\(folder.path(of: "log.db"))', required: true}
                state_file: '\(folder.path(of: "state.json"))'
                targets: [{id: first, address: 127.0.0.1}]
                """
            let file = try folder.write(text, to: "reachd.yaml")
            let process = try Reachd.start(
                ["serve", "--config", file],
                environment: ["REACHD_HISTORY_ENABLED": "true"]
            )
            while let line = process.readLine(), !line.contains("watching") {}
            while (try? HTTPClient.get("/readyz", port: port).status) != 200 {}
            return process
        }

        func stop() {
            process.kill(SIGTERM)
            process.wait()
        }

        func restart() throws { process = try Self.start(folder, port) }

        func add(_ id: String) throws {
            try Command.run([
                "curl", "-sSf", "-X", "POST", "-H", "Content-Type: application/json", "-d",
                #"{"id":"\#(id)","address":"127.0.0.1"}"#, "\(url)/targets",
            ])
        }
    }

    private func line(_ process: ChildProcess, _ matches: (String) -> Bool) -> String? {
        while let line = process.readLine() {
            if matches(line) { return line }
        }
        return nil
    }

    @Test("one line per event with its time and both states; it continues after a restart without loss")
    func restart() throws {
        let service = try Restartable()
        let watch = try Reachd.start(["watch", "-v", "--since", "1-1", "--url", service.url])
        // The log has begun before; from here on everything comes.
        #expect(line(watch) { $0.contains("some events are no longer stored") } != nil)
        #expect(line(watch) { $0 == "reachd: now: 1 up" } != nil)
        try service.add("second")
        let added = try #require(line(watch) { $0.contains("  second  added") })
        #expect(added.firstMatch(of: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  second  added \(unknown\)$/) != nil)
        let up = try #require(line(watch) { $0.contains("  second  ") && $0.contains("up") })
        #expect(up.hasSuffix("  second  unknown → up"))
        service.stop()
        let gone = try #require(line(watch) { $0.hasPrefix("reachd: ") })
        #expect(gone.hasPrefix("reachd: lost the connection to \(service.url) ("))
        #expect(gone.hasSuffix("; retrying"))
        try service.restart()
        try service.add("third")
        var seen: [String] = []
        _ = line(watch) { text in
            seen.append(text)
            return text.contains("  third  unknown → up")
        }
        #expect(seen.contains("reachd: reconnected"))
        #expect(seen.contains { $0.contains("  third  added") })
        // What came before does not come again, and nothing comes twice.
        #expect(!seen.contains { $0 == added || $0 == up || $0.contains("does not have") }, "\(seen)")
        #expect(Set(seen).count == seen.count)
        service.stop()
        // Quietly: nothing on either output, and the signal's own status.
        watch.kill(SIGINT)
        #expect(watch.wait() == 128 + SIGINT)
    }

    @Test("--json is a line an event with its id; filters are the service's")
    func json() throws {
        let service = try Restartable()
        let watch = try Reachd.start([
            "watch", "--json", "--event", "target", "--target", "wanted", "--url", service.url,
        ])
        // It may come, or be a slip.
        #expect(try #require(watch.readLine()).hasPrefix("reachd: no target wanted yet; "))
        let hello = try #require(watch.readLine())
        #expect(hello.hasPrefix(#"{"event":"hello","id":"#))
        try service.add("other")
        try service.add("wanted")
        let event = try #require(watch.readLine())
        #expect(event.hasPrefix(#"{"event":"target","id":""#))
        #expect(event.contains(#""data":{"action":"added","target":{"id":"wanted""#))
        watch.kill(SIGTERM)
        #expect(watch.wait() == 128 + SIGTERM)
        service.stop()
    }

    @Test("a reader that closes the pipe ends the command")
    func pipe() throws {
        let service = try Restartable()
        let words = "\(Reachd.path) watch --json --url \(service.url) | head -n 1; echo done"
        let shell = try ChildProcess(["bash", "-c", words], environment: Reachd.cleanEnvironment)
        #expect(shell.readLine()?.contains("hello") == true)
        try service.add("second")
        #expect(line(shell) { $0 == "done" } != nil)
        service.stop()
    }

    @Test("a stream whose first chunk has an endless extension times out")
    func floods() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        let extensions = try CannedServer { _ in .flood(Array("\(head)Transfer-Encoding: chunked\r\n\r\n5;a".utf8)) }
        let timeout = try Reachd.run(["watch", "--timeout", "1s", "--url", extensions.url])
        #expect(timeout.status == 69)
        #expect(timeout.output.contains("did not respond in time"), "\(timeout.output)")
    }

    @Test("output of a hostile service stays on its line; a response that is not a stream is reported")
    func hostile() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let event =
            "id: 1-1\nevent: state\ndata: {\"target\":\"a\\u001b[2J\",\"from\":\"up\",\ndata: \"to\":\"do\\nwn\"}\n\n"
        let server = try CannedServer { _ in .bytes(Array((head + event).utf8)) }
        let watch = try Reachd.start(["watch", "--url", server.url])
        #expect(watch.readLine() == #"-  a\u{1b}[2J  up → do\u{a}wn"#)
        #expect(watch.readLine()?.hasPrefix("reachd: lost the connection to \(server.url)") == true)
        // It asks again from where it was.
        func streams() -> [String] { server.requests.events.filter { $0.hasPrefix("GET /events") } }
        while streams().count < 2 { _ = watch.readLine() }
        #expect(streams().last?.contains("Last-Event-ID: 1-1\r\n") == true)
        watch.kill(SIGKILL)
        let json = try Reachd.start(["watch", "--json", "--url", server.url])
        #expect(
            json.readLine()
                == #"{"event":"state","id":"1-1","data":{"target":"a\u001b[2J","from":"up", "to":"do\nwn"}}"#
        )
        json.kill(SIGKILL)
        let other = try CannedServer { _ in .json("{}") }
        let refused = try Reachd.run(["watch", "--url", other.url])
        #expect(refused.status == 76)
        #expect(try Reachd.run(["watch", "--url", "http://127.0.0.1:1"]).status == 69)
        let wrong = try CannedServer { _ in
            .json(#"{"type":"x","title":"t","errors":[{"parameter":"event","detail":"Unknown value."}]}"#, status: 400)
        }
        let typo = try Reachd.run(["watch", "--event", "stat", "--url", wrong.url])
        #expect(typo.status == 2)
        #expect(typo.output.contains("rejected the request: event: Unknown value."))
    }

    /// A stream of events as a service sends them, and the list of targets before it.
    private func canned(_ events: [(String, String)], targets: String = "") throws -> CannedServer {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let blocks = events.enumerated().map { "id: 1-\($0 + 1)\nevent: \($1.0)\ndata: \($1.1)\n\n" }.joined()
        return try CannedServer { path in
            path.hasPrefix("/targets") ? .json(#"{"targets":[\#(targets)]}"#) : .bytes(Array((head + blocks).utf8))
        }
    }

    private func lines(_ server: CannedServer, _ arguments: [String] = []) throws -> [String] {
        let watch = try Reachd.start(["watch", "--url", server.url] + arguments)
        var lines: [String] = []
        while let line = watch.readLine(), !line.hasPrefix("reachd: lost the connection") { lines.append(line) }
        watch.kill(SIGKILL)
        return lines
    }

    /// What one cut of the uplink comes to for 200 targets: 3 events each, and the machine's own; then all are back but one.
    private var cut: [(String, String)] {
        let path =
            #""path":{"status":"unsatisfied","unsatisfied_reason":"no_route"},"trigger":{"kind":"link","interface":"eth0"}"#
        let back =
            #""path":{"status":"satisfied","interface":{"name":"eth0","type":"wired_ethernet"},"gateway":"192.0.2.1"},"trigger":{"kind":"link","interface":"eth0"}"#
        var events: [(String, String)] = []
        func add(_ target: String, _ isUp: Bool, _ from: String, _ to: String, _ reason: String, _ at: String) {
            let status = isUp ? "reachable_via_wifi" : "not_reachable"
            let subject = target.isEmpty ? "null" : "\"\(target)\""
            events.append(
                (
                    "reachability",
                    #"{"target":\#(subject),"status":"\#(status)","reachable":\#(isUp),\#(isUp ? back : path),"at":"\#(at)"}"#
                )
            )
            events.append(("path", #"{"target":\#(subject),"changed":["path"],\#(isUp ? back : path),"at":"\#(at)"}"#))
            guard !target.isEmpty else { return }
            events.append(
                ("state", #"{"target":"\#(target)","from":"\#(from)","to":"\#(to)"\#(reason),"at":"\#(at)"}"#)
            )
        }
        let own = #","reason":{"code":"no_route","detail":"The kernel has no route to it."},"cause":"local_network""#
        let refused = #","reason":{"code":"connect_refused","detail":"connect: Connection refused"},"cause":"target""#
        add("nas", true, "up", "down", refused, "2026-11-22T10:15:30.123Z")
        add("", false, "", "", "", "2026-11-22T10:15:42.456Z")
        for number in 1...200 { add("t\(number)", false, "up", "unreachable", own, "2026-11-22T10:15:42.457Z") }
        add("", true, "", "", "", "2026-11-22T10:20:42.456Z")
        for number in 1...199 { add("t\(number)", true, "unreachable", "up", "", "2026-11-22T10:20:42.457Z") }
        add("t200", true, "unreachable", "down", refused, "2026-11-22T10:20:43.457Z")
        return events
    }

    @Test(
        "without incidents an outage of this machine's network is one line, and so is its end; other changes have their own"
    )
    func outage() throws {
        let known =
            #"{"id":"nas","name":"The NAS","state":"up","since":"2026-11-22T09:15:30.123Z"},{"id":"t200","name":"t200","state":"up","since":"2026-11-22T09:00:00.000Z"}"#
        let server = try canned(cut, targets: known)
        #expect(
            try lines(server) == [
                "2026-11-22 10:15:30  The NAS (nas)  up → down after 1 h  connect: Connection refused (cause: target)",
                "2026-11-22 10:15:42  eth0 went down: 200 targets unreachable",
                "2026-11-22 10:20:42  Network online by eth0 via 192.0.2.1: 199 targets up again after 5 min",
                "2026-11-22 10:20:43  t200  unreachable → down after 5 min 1 s  connect: Connection refused (cause: target)",
            ]
        )
        // Everything is there when it is wanted.
        #expect(try lines(server, ["-v"]).count == cut.count)
        #expect(try lines(server, ["--json"]).count == cut.count)
        #expect(try lines(server, ["--event", "state"]).count == cut.count)
    }

    @Test("a few targets of an outage are named, one alone is a change like any other")
    func smallOutage() throws {
        func state(_ id: String, _ to: String, _ cause: String, _ second: Int) -> (String, String) {
            let reason = #","reason":{"code":"name_timeout","detail":"No name server answered."},"cause":"\#(cause)""#
            let from = to == "up" ? "unreachable" : "up"
            return (
                "state",
                #"{"target":"\#(id)","from":"\#(from)","to":"\#(to)"\#(to == "up" ? "" : reason),"at":"2026-11-22T10:15:0\#(second).000Z"}"#
            )
        }
        let events = [
            state("a", "unreachable", "dns", 1), state("b", "unreachable", "dns", 1),
            state("c", "unreachable", "parent", 1),
            state("a", "up", "", 9), state("b", "up", "", 9), state("c", "up", "", 9),
        ]
        #expect(
            try lines(canned(events)) == [
                "2026-11-22 10:15:01  c  up → unreachable  No name server answered (cause: parent)",
                "2026-11-22 10:15:01  DNS failed (name timeout): a, b unreachable",
                "2026-11-22 10:15:09  c  unreachable → up after 8 s",
                "2026-11-22 10:15:09  Reachable again: a, b up again after 8 s",
            ]
        )
    }

    /// An event of an incident that was opened at 10:15, so many seconds later.
    ///
    /// - Parameters:
    ///   - members: further members of the incident, with a comma before each.
    ///   - left: the members of a target that left, without the braces.
    private func incident(
        _ action: String,
        _ id: Int,
        _ title: String,
        total: Int,
        second: Int,
        kind: String = "link",
        subject: String = "eth0",
        members: String = "",
        left: String = ""
    ) -> (String, String) {
        let (minutes, rest) = (15 + second / 60, second % 60)
        let at = "2026-11-22T10:\(minutes):\(rest < 10 ? "0" : "")\(rest).000Z"
        let state = action == "closed" ? #""closed","closed_at":"\#(at)""# : #""open""#
        let cause = kind == "link" ? "local_network" : "target"
        let body =
            #"{"id":"1-\#(id)","title":"\#(title)","state":\#(state),"severity":"down","cause":"\#(cause)","kind":"\#(kind)","#
            + #""subject":"\#(subject)","opened_at":"2026-11-22T10:15:00.000Z","targets":{"total":\#(total)}\#(members)}"#
        let gone = left.isEmpty ? "" : #","left":[{\#(left)}]"#
        return ("incident", #"{"action":"\#(action)","incident":\#(body)\#(gone),"at":"\#(at)"}"#)
    }

    /// A service that has incidents.
    private func incidentServer(_ events: [(String, String)], open: String = "") throws -> CannedServer {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let blocks = events.enumerated().map { "id: 1-\($0 + 1)\nevent: \($1.0)\ndata: \($1.1)\n\n" }.joined()
        return try CannedServer { path in
            if path.hasPrefix("/status") { return .json(#"{"network":{"system_configuration":{"reachable":true}}}"#) }
            if path.hasPrefix("/incidents") { return .json(#"{"incidents":[\#(open)],"open":0}"#) }
            return path.hasPrefix("/targets") ? .json(#"{"targets":[]}"#) : .bytes(Array((head + blocks).utf8))
        }
    }

    @Test("an incident is a line when it opens and when it ends, whatever its targets do; -v shows them")
    func incidents() throws {
        let link = "eth0 went down: 200 targets unreachable"
        let events =
            Array(cut.prefix(3 + 2 + 600)) + [
                incident("opened", 7, "eth0 went down: 1 target unreachable", total: 1, second: 42),
                incident("updated", 7, link, total: 200, second: 42),
            ] + Array(cut.dropFirst(3 + 2 + 600).prefix(2)) + [
                incident("closed", 7, link, total: 200, second: 343)
            ]
        let server = try incidentServer(events)
        #expect(
            try lines(server) == [
                "2026-11-22 10:15:42  eth0 went down: 200 targets unreachable",
                "2026-11-22 10:20:43  eth0 is back: 200 targets up again after 5 min 43 s",
            ]
        )
        #expect(server.requests.events.contains { $0.contains("event=incident") })
        #expect(try lines(server, ["-v"]).count == events.count)
        #expect(try lines(server, ["--json"]).count == events.count)
        #expect(server.requests.events.last?.contains("event=incident") == false)
        #expect(try lines(server, ["--group", "a"]) == lines(server))
        #expect(server.requests.events.contains { $0.contains("group=a&") && $0.contains("event=incident") })
    }

    @Test("an incident that grows has a line when it has doubled; what people do has one, and so has a pause")
    func growth() throws {
        func grown(_ total: Int, _ second: Int) -> (String, String) {
            incident(
                "updated",
                1,
                "gw is silent: \(total) targets down",
                total: total,
                second: second,
                kind: "silence",
                subject: "gw"
            )
        }
        let name = #","acknowledged":{"by":"an\u001b[2Jna"}"#
        let events = [
            incident("opened", 1, "a is down", total: 1, second: 0, kind: "silence", subject: "gw"),
            grown(2, 10), grown(3, 20), grown(5, 30), grown(6, 40),
            incident(
                "edited",
                1,
                "gw is silent: 6 targets down",
                total: 6,
                second: 50,
                kind: "silence",
                subject: "gw",
                members: name
            ),
            incident(
                "edited",
                1,
                "gw is silent: 6 targets down",
                total: 6,
                second: 51,
                kind: "silence",
                subject: "gw",
                members: name
            ),
            incident("closed", 1, "x", total: 6, second: 60, kind: "silence", subject: "gw"),
            incident("opened", 2, "b is down: timeout", total: 1, second: 60, kind: "target"),
            incident(
                "closed",
                2,
                "b is down",
                total: 1,
                second: 62,
                kind: "target",
                left: #""target":"b","name":"Bee","end":"recovered""#
            ),
            incident("opened", 3, "c is down: timeout", total: 1, second: 70, kind: "target"),
            incident(
                "closed",
                3,
                "c is down",
                total: 1,
                second: 75,
                kind: "target",
                left: #""target":"c","end":"paused""#
            ),
        ]
        #expect(
            try lines(incidentServer(events)).map { $0.dropFirst("2026-11-22 10:".count) } == [
                "15:00  a is down", "15:10  gw is silent: 2 targets down", "15:30  gw is silent: 5 targets down",
                #"15:50  gw is silent: 6 targets down: acknowledged by an\u{1b}[2Jna"#,
                "16:00  gw answers again: 6 targets up again after 1 min", "16:00  b is down: timeout",
                "16:02  Bee is up again after 1 min 2 s", "16:10  c is down: timeout",
                "16:15  c: incident over after 1 min 15 s (paused)",
            ]
        )
    }

    @Test("lines are wrapped at words, and begin under the text")
    func wrapped() throws {
        let server = try incidentServer([
            incident(
                "opened",
                1,
                "The certificate of shop is not accepted (TLS expired): 3 targets down",
                total: 3,
                second: 1,
                kind: "certificate"
            )
        ])
        let watch = try Reachd.start(["watch", "--url", server.url], environment: ["COLUMNS": "60"])
        #expect(watch.readLine() == "2026-11-22 10:15:01  The certificate of shop is not accepted")
        #expect(watch.readLine() == "                     (TLS expired): 3 targets down")
        watch.kill(SIGKILL)
    }

    @Test("a cable of a real service", .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"))
    func cable() async throws {
        try await Testbed.with { bed in
            try bed.base()
            let folder = try TemporaryFolder()
            let targets = (1...200).map { "  - { id: t\($0), address: 203.0.113.\($0) }\n" }.joined()
            let file = try folder.write("listen: 127.0.0.1:7532\ntargets:\n\(targets)", to: "reachd.yaml")
            let service = try Reachd.start(["serve", "--config", file], in: bed.namespace)
            while let line = service.readLine(), !line.contains("watching") {}
            let url = "http://127.0.0.1:7532"
            while try !Reachd.run(["status", "--json", "--url", url], in: bed.namespace).output.contains(#""up":200,"#)
            {}
            // An event of another life, so that the service says what is the case now: the stream is open then.
            let watch = try Reachd.start(["watch", "--since", "1-1", "--url", url], in: bed.namespace)
            // A snapshot comes in pages of 100 targets.
            for _ in 1...2 { #expect(line(watch) { $0 == "reachd: now: 100 up" } != nil) }
            var seen: [String] = []
            func next(_ words: String) -> String? {
                line(watch) { text in
                    seen.append(text)
                    return text.contains(words)
                }
            }
            try bed.i("link set eth0 down")
            let cut = next("eth0 went down: 200 targets unreachable")
            #expect(cut?.firstMatch(of: /^\d\d:\d\d:\d\d  eth0 went down: 200 targets unreachable$/) != nil, "\(seen)")
            try bed.i("link set eth0 up")
            try bed.i("route replace default via 192.0.2.1")
            let back = next("eth0 is back")
            let form = /^\d\d:\d\d:\d\d  eth0 is back: 200 targets up again after \d+ s$/
            #expect(back?.firstMatch(of: form) != nil, "\(seen)")
            // A cut uplink with 200 targets, and its end.
            #expect(seen.count < 10, "\(seen)")
            watch.kill(SIGKILL)
            service.kill(SIGKILL)
        }
    }

    @Test(
        "an invalid --since is reported with its form before a request is sent",
        arguments: ["abc", "999999999", "0", "", "1-", "X-1"]
    )
    func since(text: String) throws {
        let result = try Reachd.run(["watch", "--since", text, "--url", "http://127.0.0.1:1"])
        #expect(result.status == 2)
        let words = "--since takes an event's id, EPOCH-NUMBER such as b848310725270657-59, not '\(text)'."
        #expect(result.output.hasPrefix("Error: \(words)\n"), "\(result.output)")
    }

    @Test("an empty id or type is refused")
    func empty() throws {
        for (arguments, words) in [
            (["watch", "--target", ""], "--target needs an id."),
            (["watch", "--event", ""], "--event needs a type."),
            (["healthcheck", "--target", ""], "--target needs an id."),
            (["export", "--target", "", "--file", "/nowhere"], "--target needs an id."),
            (["explain", ""], "The id is empty."),
        ] {
            let result = try Reachd.run(arguments)
            #expect(result.status == (arguments[0] == "healthcheck" ? 1 : 2))
            #expect(result.output.hasPrefix("Error: \(words)\n"), "\(result.output)")
        }
    }

    @Test("a stream reads the same however it is cut")
    func pieces() {
        let text =
            "\u{FEFF}retry: 20\r\n: c\r\nid: 1\nevent: a\rdata: x\rdata:y\r\n\r\ndata\n\nid: 2\n\nevent: lost\n\ndata: z\n\ndata: no"
        let expected = [
            StreamEvent(type: "a", id: "1", data: Array("x\ny".utf8)), StreamEvent(type: "message", id: "1", data: []),
            StreamEvent(type: "message", id: "2", data: Array("z".utf8)),
        ]
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var reader = EventStreamReader()
            var events: [StreamEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += reader.read(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(events == expected)
            #expect(reader.lastID == "2")
            #expect(reader.retry == 20)
        }
    }

    @Test("an event that never ends is not kept; comments without an event end the stream", arguments: ["a", ": x\n"])
    func endless(text: String) {
        var reader = EventStreamReader()
        let piece = (0..<((1 << 20) / text.utf8.count)).flatMap { _ in Array(text.utf8) }
        for _ in 0..<66 { #expect(reader.read(piece).isEmpty) }
        #expect(reader.isTooLarge)
    }
}
