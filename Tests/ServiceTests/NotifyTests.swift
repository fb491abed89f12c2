// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct NotifyTests {
    private static func configuration(_ port: UInt16, targets: String, log: String) -> String {
        """
        history: {path: \(log)}
        targets: \(targets)
        notify:
          - name: ops
            group_wait: 0s
            max_per_target: 100
            max_backoff: 1s
            webhook: {url: "http://127.0.0.1:\(port)/TOPSECRET", secret_file: \(log).key, timeout: 5s}
        """
    }

    /// A port that nobody listens on.
    private static func freePort() throws -> UInt16 {
        let server = try HookServer()
        defer { server.close() }
        return server.port
    }

    /// A message without its object `incident`, which says how the incident is when the message is sent.
    private static func statement(_ body: String) -> String {
        let ends = (body.firstRange(of: ",\"incident\":{")?.lowerBound, body.firstRange(of: "},\"target\"")?.upperBound)
        guard let begin = ends.0, let end = ends.1 else { return body }
        return "\(body[..<begin])\(body[end...])"
    }

    @Test(
        "kill -9 during delivery: all changes arrive, in order for each target, with ids of one epoch"
    )
    func killed() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path(of: "reachd.db")
        try folder.write("s3cret", to: "reachd.db.key")
        let target = try HookServer()
        let targetPort = target.port
        // The receiver is away at first, and refuses every third message later.
        let hookPort = try Self.freePort()
        let targets =
            "[{id: t, address: 127.0.0.1, probe: {type: http, url: 'http://127.0.0.1:\(targetPort)/', interval: 1s, timeout: 500ms, "
            + "confirm_interval: 200ms, fall: 1, rise: 1}}]"
        let text = Self.configuration(hookPort, targets: targets, log: log)
        let environment = ["REACHD_HISTORY_ENABLED": ""]
        let first = try RunningService(text, environment: environment)
        _ = try await target.requests.next()
        while try !first.get("/targets/t").text.contains("\"state\":\"up\"") {}
        target.close()
        while try !first.get("/targets/t").text.contains("\"state\":\"down\"") {}
        while try !first.get("/status").text.contains("\"last_error\"") {}
        #expect(try first.get("/status").text.contains("\"is_durable\":true"))
        first.process.kill(SIGKILL)
        first.process.wait()
        // Now it takes messages, and fails every third time.
        let hook = try HookServer(port: hookPort) { _, count in count % 3 == 1 ? .status(500) : .status(200) }
        let second = try RunningService(text, environment: environment)
        _ = try await hook.requests.next { $0.body.contains("\"to\":\"down\"") }
        second.process.kill(SIGKILL)
        second.process.wait()
        let again = try HookServer(port: targetPort)
        let third = try RunningService(text, environment: environment)
        _ = try await hook.requests.next { $0.body.contains("\"to\":\"up\"") && $0.body.contains("\"from\":\"down\"") }
        while try !third.get("/status").text.contains("\"pending\":0") {}
        #expect(try third.get("/status").text.contains("\"state\":\"ok\""))
        third.process.kill(SIGTERM)
        #expect(third.process.wait() == 0)
        again.close()
        let ids = hook.requests.events.map(\.id)
        #expect(Set(ids.map { $0.prefix { $0 != "-" } }).count == 1, "one epoch")
        var seen: Set<String> = []
        let numbers = ids.filter { seen.insert($0).inserted }.compactMap { UInt64($0.split(separator: "-").last ?? "") }
        #expect(numbers == numbers.sorted())
        // The same id is the same message; only whether the incident is over may have changed before it was sent again.
        let statements = Dictionary(grouping: hook.requests.events, by: \.id).mapValues {
            Set($0.map { Self.statement($0.body) })
        }
        #expect(statements.values.allSatisfy { $0.count == 1 })
        #expect(!(first.log + second.log + third.log).contains { $0.contains("TOPSECRET") || $0.contains("s3cret") })
    }

    @Test(
        "an outage: one message for fifty targets, one when it ends, and one for a target that failed on its own",
        .enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement))
    )
    func outage() async throws {
        try await Testbed.with { bed in
            try bed.base()
            try bed.p("addr add 192.0.2.1/24 dev p0")
            let hook = try HookServer(in: bed.namespace)
            let own = try HookServer(in: bed.namespace)
            let names = (1...50).map { "t\($0)" }
            let folder = try TemporaryFolder()
            let file = try folder.write(
                """
                listen: "unix:\(folder.path(of: "socket"))"
                targets:
                  - {id: own, address: 127.0.0.1, probe: {type: tcp, port: \(own.port), interval: 1s, timeout: 500ms, fall: 1}}
                \(names.map { "  - {id: \($0), address: 198.51.100.\($0.dropFirst())}" }.joined(separator: "\n"))
                notify:
                  - name: ops
                    group_wait: 5s
                    webhook: {url: "http://127.0.0.1:\(hook.port)/"}
                """,
                to: "reachd.yaml"
            )
            let process = try Reachd.start(["serve", "--config", file], in: bed.namespace)
            while let line = process.readLine(), !line.contains("watching") {}
            for target in ["own", "t50"] {
                while try Reachd.run(["healthcheck", "--config", file, "--target", target]).status != 0 {}
            }
            own.close()
            let single = try await hook.requests.next { $0.body.contains("\"type\":\"state\"") }
            #expect(single.body.contains("\"target\":\"own\"") && single.body.contains("\"to\":\"down\""))
            try bed.i("link set eth0 down")
            let gone = try await hook.requests.next { $0.body.contains("\"type\":\"outage\"") }
            #expect(gone.body.contains("\"status\":\"firing\"") && gone.body.contains("\"count\":50,"))
            #expect(gone.body.contains("\"causes\":{\"local_network\":50}"))
            try bed.i("link set eth0 up;route add default via 192.0.2.1")
            let back = try await hook.requests.next { $0.body.contains("\"status\":\"resolved\"") }
            #expect(back.body.contains("\"type\":\"outage\"") && back.body.contains("\"count\":50,"))
            process.kill(SIGTERM)
            #expect(process.wait() == 0)
            #expect(hook.requests.events.map { $0.body.contains("\"type\":\"outage\"") } == [false, true, true])
        }
    }

    @Test("notify --test: 0 when it was taken, 1 when not, 2 for an unknown name, 78 for a faulty file")
    func command() throws {
        let folder = try TemporaryFolder()
        let server = try HookServer { _, count in count == 0 ? .status(200) : .status(403) }
        let file = try folder.write(
            "notify: [{name: ops, webhook: {url: 'http://127.0.0.1:\(server.port)/TOPSECRET'}}]",
            to: "reachd.yaml"
        )
        func run(_ name: String, _ file: String) throws -> Reachd.Result {
            try Reachd.run(["notify", "--config", file, "--test", name])
        }
        let taken = try run("ops", file)
        #expect(taken.status == 0 && taken.lines == ["ops: accepted with status 200"])
        let refused = try run("ops", file)
        #expect(refused.status == 1 && refused.lines == ["ops: refused: the receiver answers 403"])
        let unknown = try run("opps", file)
        #expect(
            unknown.status == 2 && unknown.output.contains("unknown receiver \"opps\"")
                && unknown.output.contains("ops")
        )
        let faulty = try run("ops", try folder.write("notify: 5", to: "faulty.yaml"))
        #expect(faulty.status == 78 && faulty.output.contains("faulty.yaml:1:9"))
        server.close()
        let dead = try run("ops", file)
        #expect(dead.status == 1 && dead.output.contains("connect_refused"))
        #expect(![taken, refused, dead].contains { $0.output.contains("TOPSECRET") })
    }
}
