// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite("Targets over HTTP, killed in the middle of writing", .serialized, .timeLimit(.minutes(15)))
struct TargetKillTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var environment: [String: String] { ["REACHD_STATE_FILE": "", "STATE_DIRECTORY": folder.path] }

    private static let configuration = """
        targets: [{id: root, address: 127.0.0.1}]
        limits: {writes_per_second: 100000}
        """

    /// A client that changes its own targets one after the other, and remembers what was answered.
    private final class Client: Sendable {
        struct State {
            /// The version of each target that is there, by its number.
            var versions: [Int: Int] = [:]
            /// The change that was sent last and not answered; without a version it is a removal.
            var open: (number: Int, version: Int?)?
            var random: SeededGenerator
        }

        static let count = 20

        let name: String
        let state: Mutex<State>

        init(_ name: String, seed: UInt64) {
            self.name = name
            state = Mutex(State(random: SeededGenerator(seed: seed)))
        }

        func path(_ number: Int) -> String { "/targets/\(name)-\(number)" }

        /// Changes targets until the service is gone.
        func run(port: UInt16, answered: LinuxIO.Semaphore) {
            while true {
                let (number, version) = state.withLock { state in
                    let number = Int.random(in: 0..<Self.count, using: &state.random)
                    let isRemoval = state.versions[number] != nil && state.random.once(in: 3)
                    state.open = (number, isRemoval ? nil : Int.random(in: 1...1_000_000, using: &state.random))
                    return (number, state.open?.version)
                }
                guard let reply = try? change(number, version, port: port) else { return }
                guard (200..<300).contains(reply.status) else {
                    Issue.record("\(path(number)): \(reply.status) \(reply.text)")
                    return
                }
                state.withLock { state in
                    state.versions[number] = version
                    state.open = nil
                }
                answered.post()
            }
        }

        private func change(_ number: Int, _ version: Int?, port: UInt16) throws -> HTTPReply {
            guard let version else { return try HTTPClient.request("DELETE", path(number), port: port) }
            return try HTTPClient.request(
                "PUT",
                path(number),
                port: port,
                headers: ["Content-Type": "application/json"],
                body: #"{"address":"127.0.0.1","group":"v\#(version)","depends_on":["root"]}"#
            )
        }

        /// Compares what was answered with what is there, and takes what is there for a change that was not answered.
        func check(_ service: RunningService) throws {
            try state.withLock { state in
                for number in 0..<Self.count {
                    let reply = try service.get(path(number))
                    let version = reply.text.firstRange(of: #""group":"v"#).flatMap { range in
                        Int(reply.text[range.upperBound...].prefix { $0.isNumber })
                    }
                    #expect(reply.status == (version == nil ? 404 : 200))
                    #expect(version == nil || reply.text.contains(#""depends_on":["root"]"#), "\(reply.text)")
                    let isOpen = state.open.map { $0.number == number && $0.version == version } ?? false
                    #expect(isOpen || state.versions[number] == version, "\(path(number)): \(reply.text)")
                    state.versions[number] = version
                }
                state.open = nil
            }
        }
    }

    @Test(
        "acknowledged changes survive each of twelve kills; others are stored completely or not at all"
    )
    func changes() throws {
        let clients = (0..<4).map { Client("c\($0)", seed: UInt64($0 + 1)) }
        var random = SeededGenerator(seed: 13)
        for _ in 0..<12 {
            let service = try RunningService(Self.configuration, environment: environment)
            for client in clients { try client.check(service) }
            let answered = LinuxIO.Semaphore()
            let port = service.port
            let threads = try clients.map { client in
                try Thread(name: client.name) { client.run(port: port, answered: answered) }
            }
            for _ in 0..<Int.random(in: 1...150, using: &random) { answered.wait() }
            service.process.kill(SIGKILL)
            _ = service.process.wait()
            for thread in threads { thread.end() }
        }
        let service = try RunningService(Self.configuration, environment: environment)
        for client in clients { try client.check(service) }
        let count = clients.reduce(1) { $0 + $1.state.withLock { $0.versions.count } }
        #expect(try service.get("/targets?limit=1").text.contains("\"total\":\(count),"))
        #expect(!service.log.contains { $0.contains(" error ") }, "\(service.log)")
    }

    /// What a round of the import waits for before it kills.
    private enum Moment: Int, CaseIterable {
        case start, database, pages, imported

        func hasCome(_ folder: TemporaryFolder) -> Bool {
            switch self {
            case .start: true
            case .database: Self.size(folder.path(of: "targets.db")) != nil
            case .pages: (Self.size(folder.path(of: "targets.db-wal")) ?? 0) > 0
            case .imported: Self.size(folder.path(of: "targets.json.imported")) != nil
            }
        }

        private static func size(_ path: String) -> Int? {
            var facts = stat()
            return unsafe stat(path, &facts) == 0 ? Int(facts.st_size) : nil
        }
    }

    @Test("the targets of 0.1.0's file are all there, wherever their import is killed", arguments: Moment.allCases)
    private func imports(killedAt moment: Moment) throws {
        let count = 2_000
        let lines = (0..<count).map { #"{"id":"t\#($0)","address":"127.0.0.1","group":"g\#($0)"}"# }
        try folder.write("{\"version\":1,\"targets\":[\n\(lines.joined(separator: ",\n"))\n]}\n", to: "targets.json")
        let file = try folder.write(Self.configuration, to: "reachd.yaml")
        for _ in 0..<2 {
            let process = try Reachd.start(
                ["serve", "--config", file, "--listen", "127.0.0.1:0"],
                environment: environment
            )
            // A service that is through with it before it was looked at is killed all the same.
            for _ in 0..<1_000_000 where !moment.hasCome(folder) { sched_yield() }
            process.kill(SIGKILL)
            _ = process.wait()
        }
        let service = try RunningService(Self.configuration, environment: environment)
        #expect(try service.get("/targets?limit=1").text.contains("\"total\":\(count + 1),"))
        #expect(try service.get("/targets/t1999").text.contains(#""group":"g1999""#))
        let names = try Command.run(["ls", folder.path]).split(separator: "\n").map(String.init)
        #expect(names.contains("targets.json.imported") && !names.contains("targets.json"), "\(names)")
        #expect(!service.log.contains { $0.contains(" error ") }, "\(service.log)")
    }
}
