// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("Sockets that a service manager hands over", .timeLimit(.minutes(15)))
struct SocketActivationTests {
    private func configuration(_ listen: String, in folder: TemporaryFolder) throws -> [String] {
        ["serve", "--config", try folder.write("listen: \(listen)\ntargets: [{address: 127.0.0.1}]", to: "r.yaml")]
    }

    private func waitForStart(_ process: ChildProcess) -> [String] {
        var lines: [String] = []
        while let line = process.readLine() {
            lines.append(line)
            if line.contains("watching") { break }
        }
        return lines
    }

    @Test("systemd listens on all of them, TCP and unix, and leaves the socket's file alone at the end")
    func all() throws {
        let folder = try TemporaryFolder()
        let sockets = HandedSockets()
        let port = try sockets.addTCP("web")
        let path = folder.path(of: "s")
        try sockets.addUnix(path, name: "local")
        let process = try sockets.start(try configuration("systemd", in: folder))
        let lines = waitForStart(process)
        #expect(lines.contains { $0.hasSuffix("listening address=127.0.0.1:\(port)") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("listening address=unix:\(path)") }, "\(lines)")
        #expect(try HTTPClient.get("/livez", port: port).status == 200)
        #expect(try Command.run(["curl", "-sS", "--unix-socket", path, "http://localhost/livez"]).contains("ok"))
        // Both are closed in whatever the service would start, and nothing says that they are there.
        let folderOfDescriptors = "/proc/\(process.pid)/fdinfo"
        let listening = try Command.run(["sh", "-c", "grep -l '' \(folderOfDescriptors)/3 \(folderOfDescriptors)/4"])
        for file in listening.split(separator: "\n") {
            let flags = try Command.run(["sed", "-n", "s/^flags:\t//p", String(file)])
            // O_CLOEXEC and O_NONBLOCK, octal as the kernel prints them.
            let value = Int(flags.prefix { $0.isNumber }, radix: 8) ?? 0
            #expect(value & 0o2000000 != 0 && value & 0o4000 != 0, "\(file): \(flags)")
        }
        process.kill(SIGTERM)
        #expect(process.wait() == 0)
        #expect(unsafe access(path, F_OK) == 0)
    }

    @Test("systemd:NAME takes the sockets of a name; an unused one is named in the log")
    func byName() throws {
        let folder = try TemporaryFolder()
        let sockets = HandedSockets()
        let unused = try sockets.addTCP("other")
        let port = try sockets.addTCP("web")
        let process = try sockets.start(try configuration("[ 'systemd:web', '127.0.0.1:0' ]", in: folder))
        let lines = waitForStart(process)
        #expect(lines.contains { $0.contains("is not used by listen address=127.0.0.1:\(unused)") }, "\(lines)")
        #expect(lines.filter { $0.contains("listening") }.count == 2)
        #expect(try HTTPClient.get("/livez", port: port).status == 200)
        process.kill(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test("the name of an allowed host guards a loopback socket that was handed over as any other")
    func hosts() throws {
        let folder = try TemporaryFolder()
        let sockets = HandedSockets()
        let port = try sockets.addTCP()
        let process = try sockets.start(try configuration("systemd", in: folder))
        _ = waitForStart(process)
        #expect(try HTTPClient.get("/livez", port: port, headers: ["Host": "evil.example"]).status == 421)
    }

    @Test("a handed-over socket may have TLS")
    func secure() throws {
        let folder = try TemporaryFolder()
        let pair = try SelfSignedCertificate("served", in: folder)
        let sockets = HandedSockets()
        let port = try sockets.addTCP("web")
        let entry = "{ address: 'systemd:web', tls: { cert_file: \(pair.path), key_file: \(pair.key) } }"
        let process = try sockets.start(try configuration(entry, in: folder))
        _ = waitForStart(process)
        let answer = try Command.run(["curl", "-sS", "--cacert", pair.path, "https://localhost:\(port)/livez"])
        #expect(answer.contains("ok"))
    }

    @Test("sockets that are missing, of another process, or of another name: exit 69 with a hint")
    func missing() throws {
        let folder = try TemporaryFolder()
        let arguments = try configuration("systemd", in: folder)
        let alone = try Reachd.run(arguments)
        #expect(alone.status == 69)
        #expect(alone.output.contains("cannot listen on systemd: the service manager passed no socket"))
        let sockets = HandedSockets()
        try sockets.addTCP("web")
        let foreign = try sockets.start(arguments, process: "1")
        #expect(foreign.readAll().contains("passed no socket"))
        #expect(foreign.wait() == 69)
        let named = try sockets.start(try configuration("'systemd:api'", in: folder))
        #expect(named.readAll().contains("cannot listen on systemd:api: the service manager passed web;"))
        #expect(named.wait() == 69)
    }

    @Test("a descriptor that is not a listening socket is refused by its number and name")
    func notListening() throws {
        let folder = try TemporaryFolder()
        let sockets = HandedSockets()
        try sockets.addTCP("web", listens: false)
        let process = try sockets.start(try configuration("systemd", in: folder))
        #expect(process.readAll().contains("descriptor 3 (web) is not a listening stream socket"))
        #expect(process.wait() == 69)
    }

    @Test("a unix socket's file has the mode of the configuration, 0660 without one")
    func mode() throws {
        let folder = try TemporaryFolder()
        let paths = ["a", "b"].map { folder.path(of: $0) }
        let service = try RunningService(
            """
            listen:
              - 127.0.0.1:0
              - unix:\(paths[0])
              - { address: "unix:\(paths[1])", mode: "0606" }
            """
        )
        _ = service.waitForLine { $0.contains("watching") }
        #expect(try Command.run(["stat", "-c", "%a"] + paths) == "660\n606\n")
        service.process.kill(SIGTERM)
        #expect(service.process.wait() == 0)
        for path in paths { #expect(unsafe access(path, F_OK) != 0) }
    }
}
