// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("The event log in a file", .timeLimit(.minutes(15))) struct HistoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let enabled = ["REACHD_HISTORY_ENABLED": "true"]

    private var path: String { folder.path(of: "log.db") }

    private func start(_ more: String = "") throws -> RunningService {
        let text = "auto_targets: false\nhistory: {path: \(path)}\nlimits: {writes_per_second: 100000}\n\(more)"
        return try RunningService(text, environment: Self.enabled)
    }

    private static func send(_ method: String, _ path: String, _ body: String? = nil, to port: UInt16) throws {
        let headers = body == nil ? [:] : ["Content-Type": "application/json"]
        let reply = try HTTPClient.request(method, path, port: port, headers: headers, body: body)
        #expect(reply.status < 300, "\(method) \(path): \(reply.text)")
    }

    /// All that a stream is sent from its beginning to an event of the service's log.
    private static func everything(_ query: String, from epoch: String, through last: String, port: UInt16) throws
        -> [SSEMessage]
    {
        let client = try SSEClient("/events?since=\(epoch)-0&\(query)", port: port)
        var all: [SSEMessage] = []
        while let block = try client.nextBlock() {
            // A heartbeat carries the position when nothing that the view wants follows it.
            if block.isEvent, block.event != "hello", !block.data.contains("server_time") { all.append(block) }
            if block.id == last { break }
        }
        return all
    }

    private static func epoch(_ service: RunningService) throws -> (epoch: String, sequence: Int) {
        let text = try service.get("/status").text
        let epoch = text.split(separator: "\"epoch\":\"").dropFirst().first?.prefix { $0 != "\"" } ?? ""
        let number = text.split(separator: "\"sequence\":").dropFirst().first?.prefix { $0.isNumber } ?? ""
        return (String(epoch), Int(number) ?? 0)
    }

    @Test(
        "After a kill streams continue without a gap or a repeat, with the same bytes in each view",
        arguments: [SIGKILL, SIGTERM]
    )
    func restart(_ signal: Int32) throws {
        let views = [
            "format=event", "format=message", "key=status&key=path&options=new,old,prior",
            "target=a&key=state&options=old",
            "event=target&distinct=true", "tag=env:prod&format=message",
        ]
        let service = try start()
        for id in ["a", "b"] {
            try Self.send("PUT", "/targets/\(id)", #"{"address":"127.0.0.1","tags":{"env":"prod"}}"#, to: service.port)
        }
        try Self.send("POST", "/targets/a/pause", to: service.port)
        try Self.send("POST", "/targets/a/resume", to: service.port)
        try Self.send("DELETE", "/targets/b", to: service.port)
        let collector = try EventCollector(after: nil, port: service.port)
        collector.wait { !$0.isEmpty }
        try Self.send(
            "PUT",
            "/targets/a",
            #"{"address":"127.0.0.2","group":"last","tags":{"env":"prod"}}"#,
            to: service.port
        )
        collector.wait { messages in messages.contains { $0.data.contains("\"group\":\"last\"") && $0.id != nil } }
        let (epoch, _) = try Self.epoch(service)
        let last = try #require(collector.messages.last { $0.data.contains("\"group\":\"last\"") }?.id)
        let before = try views.map { try Self.everything($0, from: epoch, through: last, port: service.port) }
        service.process.kill(signal)
        _ = service.process.wait()
        let seen = collector.end().compactMap(\.id).last ?? ""
        let again = try start()
        #expect(try Self.epoch(again).epoch == epoch)
        let after = try views.map { try Self.everything($0, from: epoch, through: last, port: again.port) }
        for (index, view) in views.enumerated() { #expect(before[index] == after[index], "\(view)") }
        let resumed = try SSEClient(port: again.port, headers: ["Last-Event-ID": seen])
        #expect(try resumed.next()?.event == "hello")
        let next = try resumed.next()
        #expect(
            next?.id?.split(separator: "-").last.flatMap { Int($0) }
                == (Int(seen.split(separator: "-").last ?? "") ?? 0) + 1
        )
        let status = try again.get("/status").text
        #expect(status.contains(#""history":{"state":"ok""#))
    }

    @Test("Killed again and again under load, no event that a client saw is missing, and none is doubled")
    func kills() throws {
        let rounds = unsafe getenv("KILL_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? 10
        var random = SeededGenerator(seed: 4711)
        /// What clients saw, by id.
        var seen: [String: SSEMessage] = [:]
        var last: String?
        var epoch: String?
        for round in 0..<rounds {
            let service = try start()
            let now = try Self.epoch(service).epoch
            #expect(epoch == nil || epoch == now, "round \(round)")
            epoch = now
            let collector = try EventCollector(after: last, port: service.port)
            let port = service.port
            let writers = try (0..<2).map { writer in
                try LinuxIO.Thread(name: "writer") { Self.load(port, writer, round) }
            }
            let wanted = Int.random(in: 1...400, using: &random)
            collector.wait { $0.count >= wanted }
            service.process.kill(SIGKILL)
            _ = service.process.wait()
            for writer in writers { writer.end() }
            let messages = collector.end()
            var previous = last.flatMap { $0.split(separator: "-").last }.flatMap { Int($0) }
            for message in messages where message.event != "hello" {
                #expect(message.event != "reset" && message.event != "lagged", "round \(round): \(message)")
                guard let id = message.id, let number = id.split(separator: "-").last.flatMap({ Int($0) }) else {
                    continue
                }
                if let previous { #expect(number == previous + 1, "round \(round)") }
                previous = number
                #expect(seen[id] == nil, "round \(round): \(id) again")
                seen[id] = message
                last = id
            }
        }
        let service = try start()
        let first = seen.keys.compactMap { $0.split(separator: "-").last.flatMap { Int($0) } }.min() ?? 0
        let client = try SSEClient("/events?since=\(epoch ?? "")-\(first - 1)", port: service.port)
        var left = seen
        while !left.isEmpty, let message = try client.next() {
            guard message.event != "hello", let id = message.id else { continue }
            if let known = left.removeValue(forKey: id) { #expect(known == message) }
            if id == last { break }
        }
        #expect(left.isEmpty, "\(left.count) of \(seen.count) are missing")
        #expect(seen.count >= rounds)
    }

    /// Changes targets until the service is gone.
    private static func load(_ port: UInt16, _ writer: Int, _ round: Int) {
        for number in 0..<1_000_000 {
            let body = #"{"address":"127.0.0.\#(number % 200 + 1)","group":"g\#(round)-\#(number)"}"#
            let path = "/targets/w\(writer)-\(number % 5)"
            let fields = ["Content-Type": "application/json"]
            let reply = try? HTTPClient.request("PUT", path, port: port, headers: fields, body: body)
            guard reply != nil else { return }
        }
    }

    @Test("A second reachd on the same file names the first")
    func twoProcesses() throws {
        let service = try start()
        let text = "auto_targets: false\nhistory: {path: \(path)}\nlisten: 127.0.0.1:0"
        let file = try folder.write(text, to: "second.yaml")
        let second = try Reachd.run(["serve", "--config", file], environment: Self.enabled)
        #expect(second.status == 69)
        #expect(
            second.output.contains(
                "\(path) is in use by another process (PID \(service.process.pid)): stop that process, or"
            )
        )
    }

    @Test("A missing folder, and a file of another program, are reported")
    func badPlaces() throws {
        for (path, words) in [("no/such/log.db", "create its directory"), ("plain/log.db", "create its directory")] {
            try folder.write("", to: "plain")
            let text = "history: {path: \(folder.path(of: path)), required: true}\nlisten: 127.0.0.1:0"
            let file = try folder.write(text, to: "second.yaml")
            let result = try Reachd.run(["serve", "--config", file], environment: Self.enabled)
            #expect(result.status == 78 && result.output.contains(words), "\(result.output)")
        }
    }

    @Test("A missing folder: without history.required reachd starts, keeps events in memory, and reports it")
    func laterPlace() throws {
        let path = folder.path(of: "later/log.db")
        let service = try RunningService(
            "auto_targets: false\nhistory: {path: \(path)}",
            environment: Self.enabled
        )
        #expect(try service.get("/status").text.contains(#""state":"degraded""#))
        #expect(try service.get("/readyz").status == 200)
        #expect(try service.get("/status").text.contains(#""code":"cannot_open""#))
    }

    @Test("By default the log is in the folder of the service manager; without one it is in memory")
    func places() throws {
        let environment = ["REACHD_HISTORY_ENABLED": "", "STATE_DIRECTORY": folder.path]
        let service = try RunningService("auto_targets: false", environment: environment)
        #expect(service.log.contains { $0.contains("file=\(folder.path)/reachd.db state=ok") })
        #expect(try Command.run(["ls", folder.path]).contains("reachd.db"))
        // Another one by hand has no claim on it, and runs.
        let second = try RunningService("auto_targets: false", environment: environment)
        #expect(second.log.contains { $0.contains("in memory only") })
        #expect(try second.get("/status").text.contains(#""history":{"state":"off"}"#))
    }

    @Test("A file that is removed while it is in use: monitoring continues, and a new file begins")
    func removal() throws {
        let service = try start()
        try Self.send("PUT", "/targets/a", #"{"address":"127.0.0.1"}"#, to: service.port)
        let first = try Self.epoch(service).epoch
        let stream = try SSEClient("/events", port: service.port)
        try Command.run(["rm", path, "\(path)-wal"])
        try Self.send("PUT", "/targets/b", #"{"address":"127.0.0.1"}"#, to: service.port)
        let told = try stream.next { $0.data.contains("\"id\":\"b\"") }
        #expect(told?.id?.hasPrefix(first) == false)
        #expect(service.waitForLine { $0.contains("event log is not written (removed)") } != nil)
        #expect(service.waitForLine { $0.contains("event log is written again") } != nil)
        let (second, number) = try Self.epoch(service)
        #expect(second != first)
        service.process.kill(SIGKILL)
        _ = service.process.wait()
        let again = try start()
        #expect(try Self.epoch(again).epoch == second)
        let resumed = try SSEClient("/events?since=\(second)-\(number - 1)", port: again.port)
        #expect(try resumed.next()?.event == "hello")
        #expect(try resumed.next()?.id == "\(second)-\(number)")
        let reset = try SSEClient("/events?since=\(first)-1", port: again.port)
        _ = try reset.next()
        #expect(try reset.next()?.event == "reset")
    }

    private var disk: String { folder.path(of: "disk") }

    /// Runs a command in a service's mount namespace.
    private func inside(_ service: RunningService, _ command: String) throws {
        try Command.run(["nsenter", "-t", "\(service.process.pid)", "-m", "bash", "-c", command])
    }

    /// Runs a service in a mount namespace of its own, with the log on a small file system.
    private func onSmallDisk(_ more: String = "", mount: String = "true") throws -> RunningService {
        try Command.run(["mkdir", "-p", disk])
        let text = """
            auto_targets: false
            history: {path: \(disk)/log.db\(more)}
            limits: {writes_per_second: 100000}
            """
        return try RunningService(
            text,
            environment: Self.enabled,
            wrapper: [
                "unshare", "-m", "bash", "-c",
                "mount -t tmpfs -o size=4m none \(disk) && \(mount) \(disk) && exec \"$0\" \"$@\"",
            ]
        )
    }

    @Test(
        "A full disk, and one that turns read-only: monitoring continues, all routes report it, and it recovers",
        .enabled(if: getuid() == 0, mountRequirement)
    )
    func badDisk() throws {
        let service = try onSmallDisk()
        let first = try Self.epoch(service).epoch
        try inside(service, "head -c 8M /dev/zero > \(disk)/ballast || true")
        for number in 0..<200 {
            try Self.send(
                "PUT",
                "/targets/t\(number % 9)",
                #"{"address":"127.0.0.1","group":"\#(number)"}"#,
                to: service.port
            )
        }
        #expect(service.waitForLine { $0.contains("event log is not written (full)") } != nil)
        #expect(try Self.epoch(service).epoch != first)
        #expect(try service.get("/status").text.contains(#""history":{"state":"degraded""#))
        #expect(try service.get("/status").text.contains(#""code":"full""#))
        let ready = try service.get("/readyz")
        #expect(ready.status == 200 && ready.text.contains(#""history":{"state":"degraded""#))
        try inside(service, "rm \(disk)/ballast")
        #expect(service.waitForLine { $0.contains("event log is written again; nothing is missing") } != nil)
        #expect(try service.get("/readyz").text == #"{"status":"ok"}"#)
        let second = try Self.epoch(service).epoch
        #expect(second != first)
    }

    @Test(
        "A disk that is read-only at the start: monitoring begins, and the log when it can be written",
        .enabled(if: getuid() == 0, mountRequirement)
    )
    func readOnlyDisk() throws {
        let service = try onSmallDisk(mount: "mount -o remount,bind,ro")
        #expect(service.log.contains { $0.contains("event log is not written (read_only)") })
        try Self.send("PUT", "/targets/a", #"{"address":"127.0.0.1"}"#, to: service.port)
        #expect(try service.get("/status").text.contains(#""code":"read_only""#))
        try inside(service, "mount -o remount,bind,rw \(disk)")
        #expect(service.waitForLine { $0.contains("event log is written again; nothing is missing") } != nil)
        #expect(try service.get("/readyz").text == #"{"status":"ok"}"#)
    }

    @Test("A required log that cannot be written prevents the start", .enabled(if: getuid() == 0, mountRequirement))
    func required() throws {
        let failure = #expect(throws: RunningService.NotListening.self) {
            try onSmallDisk(", required: true", mount: "mount -o remount,bind,ro")
        }
        #expect(failure?.log.last?.contains("set history.required to false") == true)
    }

    @Test("The log can be copied while it is in use, and continues from the copy under another epoch")
    func backup() throws {
        let service = try start()
        try Self.send("PUT", "/targets/a", #"{"address":"127.0.0.1"}"#, to: service.port)
        let copy = folder.path(of: "copy.db")
        let result = try Reachd.run(["backup", "--config", service.file, copy], environment: Self.enabled)
        #expect(result.status == 0 && result.output.isEmpty)
        #expect(try Reachd.run(["backup", "--from", path, copy]).status == 1)
        let (epoch, sequence) = try Self.epoch(service)
        let text = "auto_targets: false\nhistory: {path: \(copy)}"
        let other = try RunningService(text, environment: Self.enabled)
        let (otherEpoch, otherSequence) = try Self.epoch(other)
        #expect(otherEpoch != epoch && otherSequence >= sequence)
    }

    @Test("Limits change with a reload")
    func reload() throws {
        let service = try start()
        try service.reload("auto_targets: false\nhistory: {path: \(path), max_age: 1h, max_bytes: 1MiB}")
        #expect(service.waitForLine { $0.contains("configuration reloaded") } != nil)
        #expect(service.log.contains { $0.contains("takes effect after a restart") && $0.contains("history") } == false)
    }
}

private let mountRequirement: Comment =
    "needs the right to mount (root, or scripts/test where user namespaces are allowed)"
