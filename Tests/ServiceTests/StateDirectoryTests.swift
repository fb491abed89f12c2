// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

/// What clients declare survives a restart unless the configuration says otherwise.
@Suite("Targets of the HTTP interface are kept by default") struct StateDirectoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var environment: [String: String] { ["REACHD_STATE_FILE": "", "STATE_DIRECTORY": folder.path] }
    private var path: String { folder.path(of: "targets.db") }

    private func start(_ text: String = "", wrapper: [String] = []) throws -> RunningService {
        try RunningService("auto_targets: false\n" + text, environment: environment, wrapper: wrapper)
    }

    @discardableResult
    private func add(_ id: String, to service: RunningService) throws -> HTTPReply {
        try HTTPClient.request(
            "PUT",
            "/targets/\(id)",
            port: service.port,
            headers: ["Content-Type": "application/json"],
            body: #"{"address":"127.0.0.1"}"#
        )
    }

    @Test("a target that was added is there after a restart, however the service ended", arguments: [SIGTERM, SIGKILL])
    func restart(signal: Int32) throws {
        let service = try start()
        let added = try add("a", to: service)
        #expect(added.status == 201 && added.text.contains(#""persisted":true"#), "\(added.text)")
        #expect(try service.get("/access").text.contains(#""targets":{"storage":"file","file":"\#(path)"}"#))
        service.process.kill(signal)
        _ = service.process.wait()
        let again = try start()
        #expect(try again.get("/targets/a").status == 200)
    }

    @Test("below HOME, in a folder that is created, if reachd does not run as a service")
    func home() throws {
        let environment = ["REACHD_STATE_FILE": "", "XDG_STATE_HOME": "", "HOME": folder.path]
        // A machine with the package installed has this one, and root can write it.
        guard unsafe access("/var/lib/reachd", W_OK) != 0 else { return }
        let service = try RunningService("auto_targets: false", environment: environment)
        #expect(try add("a", to: service).text.contains(#""persisted":true"#))
        let kept = ["targets.db", "targets.db-wal"].map { folder.path(of: ".local/state/reachd/\($0)") }
        #expect(try Command.run(["grep", "-ac", #""id":"a""#] + kept).contains(":1"))
    }

    @Test("with state_file: none they last until the service ends, and that is reported")
    func off() throws {
        let service = try start("state_file: none\n")
        #expect(try add("a", to: service).text.contains(#""persisted":false"#))
        let access = try service.get("/access").text
        #expect(access.contains(#""targets":{"storage":"memory","detail":"state_file is none"}"#), "\(access)")
        #expect(try Command.run(["ls", folder.path]).isEmpty)
        service.process.kill(SIGTERM)
        _ = service.process.wait()
        #expect(try start().get("/targets/a").status == 404)
    }

    @Test("without a writable folder the service runs, keeps them in memory, and reports it")
    func unwritable() throws {
        let environment = ["REACHD_STATE_FILE": "", "XDG_STATE_HOME": "/proc/none", "STATE_DIRECTORY": "/proc/none"]
        guard unsafe access("/var/lib/reachd", W_OK) != 0 else { return }
        let service = try RunningService("auto_targets: false", environment: environment)
        #expect(
            service.log.contains { $0.contains("API targets are kept in memory only") },
            "\(service.log)"
        )
        let added = try add("a", to: service)
        #expect(added.status == 201 && added.text.contains(#""persisted":false"#))
        #expect(try service.get("/access").text.contains(#""targets":{"storage":"memory","detail":"no directory"#))
        let doctor = try Reachd.run(
            ["doctor"],
            environment: environment.merging(["REACHD_LISTEN": "127.0.0.1:0"]) { $1 }
        )
        #expect(doctor.output.contains("warn  state_file"), "\(doctor.output)")
    }

    @Test("a second process does not use the file: by default it runs without, and with a configured file it refuses")
    func second() throws {
        let service = try start()
        let second = try start()
        #expect(
            second.log.contains { $0.contains("in memory only: \(path) is in use by another process") },
            "\(second.log)"
        )
        #expect(try add("b", to: second).text.contains(#""persisted":false"#))
        #expect(try add("a", to: service).text.contains(#""persisted":true"#))
        #expect(try !Command.run(["cat", path, "\(path)-wal"]).contains(#""id":"b""#))
        let file = try folder.write("state_file: \(path)\nlisten: 127.0.0.1:0", to: "second.yaml")
        let refused = try Reachd.run(["serve", "--config", file], environment: environment)
        #expect(refused.status == 69 && refused.output.contains("is in use by another process"), "\(refused.output)")
        // The lock ends with the process.
        service.process.kill(SIGKILL)
        _ = service.process.wait()
        #expect(try start().get("/targets/a").status == 200)
    }

    @Test("a damaged file is kept beside, the service runs, and takes targets again")
    func corrupt() throws {
        try folder.write("{\"version\":1,\"targets\":[{", to: "targets.json")
        let service = try start()
        #expect(service.log.contains { $0.contains("targets.json is damaged") }, "\(service.log)")
        #expect(try Command.run(["ls", folder.path]).contains("targets.json.corrupt"))
        #expect(try add("a", to: service).text.contains(#""persisted":true"#))
    }

    @Test("a file that cannot be written: changes are refused, and clients with write access get the reason")
    func refused() throws {
        let service = try RunningService("auto_targets: false\nstate_file: /proc/none/targets.json")
        #expect(try add("a", to: service).status == 503 || add("a", to: service).status == 500)
        let access = try service.get("/access").text
        #expect(access.contains(#""targets":{"storage":"unavailable","file":"/proc/none/targets.json","detail":""#))
    }
}
