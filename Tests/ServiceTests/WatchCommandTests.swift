// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Asking
import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("reachd watch", .timeLimit(.minutes(2)))
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

    @Test("one line an event with its time, from what to what; it goes on after a restart without loss")
    func restart() throws {
        let service = try Restartable()
        let watch = try Reachd.start(["watch", "--since", "1-1", "--url", service.url])
        // The log has begun before; from here on everything comes.
        #expect(line(watch) { $0.contains("does not have all events since") } != nil)
        #expect(line(watch) { $0 == "reachd: now: 1 up" } != nil)
        try service.add("second")
        let added = try #require(line(watch) { $0.contains("  second  added") })
        #expect(added.firstMatch(of: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  second  added \(unknown\)$/) != nil)
        let up = try #require(line(watch) { $0.contains("  second  ") && $0.contains("up") })
        #expect(up.hasSuffix("  second  unknown → up"))
        service.stop()
        let gone = try #require(line(watch) { $0.hasPrefix("reachd: ") })
        #expect(gone.hasPrefix("reachd: the connection to \(service.url) is gone ("))
        #expect(gone.hasSuffix("; trying again"))
        try service.restart()
        try service.add("third")
        var seen: [String] = []
        _ = line(watch) { text in
            seen.append(text)
            return text.contains("  third  unknown → up")
        }
        #expect(seen.contains("reachd: connected again"))
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
        #expect(try #require(watch.readLine()).hasPrefix("reachd: there is no target wanted yet; "))
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

    @Test("a reader that goes away ends it")
    func pipe() throws {
        let service = try Restartable()
        let words = "\(Reachd.path) watch --json --url \(service.url) | head -n 1; echo done"
        let shell = try ChildProcess(["bash", "-c", words], environment: Reachd.cleanEnvironment)
        #expect(shell.readLine()?.contains("hello") == true)
        try service.add("second")
        #expect(line(shell) { $0 == "done" } != nil)
        service.stop()
    }

    @Test("what a hostile service sends stays on its line; a stream that is none is said")
    func hostile() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let event =
            "id: 1-1\nevent: state\ndata: {\"target\":\"a\\u001b[2J\",\"from\":\"up\",\ndata: \"to\":\"do\\nwn\"}\n\n"
        let server = try CannedServer { _ in .bytes(Array((head + event).utf8)) }
        let watch = try Reachd.start(["watch", "--url", server.url])
        #expect(watch.readLine() == #"-  a\u{1b}[2J  up → do\u{a}wn"#)
        #expect(watch.readLine()?.hasPrefix("reachd: the connection to \(server.url) is gone") == true)
        // It asks again from where it was.
        while server.requests.events.count < 2 { _ = watch.readLine() }
        #expect(server.requests.events.last?.contains("Last-Event-ID: 1-1\r\n") == true)
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
        #expect(typo.output.contains("does not take the question: event: Unknown value."))
    }

    @Test("what --since takes is said, before anybody is asked", arguments: ["abc", "999999999", "0", "", "1-", "X-1"])
    func since(text: String) throws {
        let result = try Reachd.run(["watch", "--since", text, "--url", "http://127.0.0.1:1"])
        #expect(result.status == 2)
        let words = "--since takes an event's id, EPOCH-NUMBER such as b848310725270657-59, not '\(text)'."
        #expect(result.output.hasPrefix("Error: \(words)\n"), "\(result.output)")
    }

    @Test("an empty id or type is said")
    func empty() throws {
        for (arguments, words) in [
            (["watch", "--target", ""], "An id is missing behind --target."),
            (["watch", "--event", ""], "A type is missing behind --event."),
            (["healthcheck", "--target", ""], "An id is missing behind --target."),
            (["export", "--target", "", "--file", "/nowhere"], "An id is missing behind --target."),
            (["explain", ""], "An id is missing: it is empty."),
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

    @Test("an event that never ends is not kept")
    func endless() {
        var reader = EventStreamReader()
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        for _ in 0..<66 { #expect(reader.read(piece).isEmpty) }
        #expect(reader.isTooLarge)
    }
}
