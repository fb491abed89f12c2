// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

/// Each test starts a service, does its worst, and holds the service against what it was before: alive, with the
/// descriptors it had, and with a client beside it that got all its answers.
@Suite("Clients that mean harm", .timeLimit(.minutes(15)))
struct HostileClientTests {
    private static let configuration = """
        targets: [{id: one, address: 127.0.0.1}]
        limits: {header_timeout: 1s, body_timeout: 1s, idle_timeout: 2s, body_size: 64KiB}
        events: {stall_timeout: 2s, heartbeat: 1s}
        """

    /// Runs a test's worst beside a client that behaves.
    private func attack(
        _ configuration: String = Self.configuration,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (RunningService) throws -> Void
    ) throws {
        let service = try RunningService(configuration)
        while try service.get("/readyz").status != 200 {}
        let process = service.process.pid
        let before = try ProcessFacts.descriptors(of: process)
        let bystander = try Bystander(port: service.port)
        while bystander.count == 0 {}
        do {
            try body(service)
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
        let answered = bystander.count
        while bystander.count == answered, answered >= 0 {}
        #expect(bystander.finish() == [], sourceLocation: sourceLocation)
        // Waits for the idle timeout if need be; the suite's time limit is the judge.
        while try ProcessFacts.descriptors(of: process) > before {}
        #expect(try service.get("/targets/one").status == 200, sourceLocation: sourceLocation)
        service.process.kill(SIGTERM)
        #expect(service.process.wait() == 0, sourceLocation: sourceLocation)
    }

    private func head(_ line: String, _ fields: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    /// Sends what the server takes and reads what it says until it hangs up.
    private func exchange(_ bytes: [UInt8], port: UInt16, finishes: Bool = true) throws -> String {
        let connection = try HTTPConnection(port: port)
        _ = try? connection.send(bytes)
        if finishes { connection.finishSending() }
        return String(decoding: receiveAll(connection.socket), as: UTF8.self)
    }

    /// Reads to the end; a reset is one.
    private func receiveAll(_ socket: OwnedDescriptor) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe recv(socket.number, &piece, piece.count, 0)
            guard count > 0 else { return bytes }
            bytes += piece.prefix(count)
        }
    }

    private func exchange(_ text: String, port: UInt16, finishes: Bool = true) throws -> String {
        try exchange(Array(text.utf8), port: port, finishes: finishes)
    }

    private func reset(_ connection: HTTPConnection) {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(
            connection.socket.number,
            SOL_SOCKET,
            SO_LINGER,
            &value,
            socklen_t(MemoryLayout<linger>.size)
        )
    }

    @Test("5,000 connections that come and go at once take no descriptor and no memory with them")
    func connectsAndCloses() throws {
        try attack { service in
            func wave() throws {
                for number in 0..<5_000 {
                    let connection = try HTTPConnection(port: service.port)
                    switch number % 4 {
                    case 0: break
                    case 1: reset(connection)
                    case 2: _ = try? connection.send("GET /livez HTTP/1.1\r\nHost: local")
                    default:
                        _ = try? connection.send(head("GET /targets"))
                        reset(connection)
                    }
                }
            }
            try wave()
            let before = try ProcessFacts.residentMemory(of: service.process.pid)
            try wave()
            let grown = try ProcessFacts.residentMemory(of: service.process.pid) - before
            // A quarter of what each connection's memory alone would come to if it stayed.
            #expect(grown < 16_384 || Sanitizer.isActive, "\(grown) KiB")
        }
    }

    @Test("A million targets in one POST: 413, and 422 where a body may be so large; their values are never made")
    func millionTargets() throws {
        var body = Array(#"{"targets":["#.utf8)
        for number in 0..<1_000_000 { body += #"{"host":"a\#(number % 10)"},"#.utf8 }
        body.removeLast()
        body += "]}".utf8
        func post(_ service: RunningService, _ fields: String) throws -> String {
            let fields = "Content-Type: application/json\r\nConnection: close\r\n" + fields
            let head = Array(head("POST /targets", fields).utf8)
            return try exchange(head + body, port: service.port, finishes: false)
        }
        try attack { service in
            // The answer may be lost with the rest of the body: the connection is reset then.
            let answer = try post(service, "Content-Length: \(body.count)\r\n")
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 413 "))
            let patient = try HTTPConnection(port: service.port)
            try patient.send(head("POST /targets", "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n"))
            #expect(String(decoding: receiveAll(patient.socket), as: UTF8.self).hasPrefix("HTTP/1.1 413 "))
        }
        try attack(
            "targets: [{id: one, address: 127.0.0.1}]\nlimits: {body_size: 64MiB, targets: 1000, idle_timeout: 2s}"
        ) { service in
            let process = service.process.pid
            let before = try ProcessFacts.residentMemory(of: process)
            for _ in 0..<4 {
                let answer = try post(service, "Content-Length: \(body.count)\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 422 ") && answer.contains("too_many_targets"))
            }
            // A body may be held back once, its values would take ten times as much. The connection ends, and with it the last
            // body, a little after the answer: the suite's time limit is the judge.
            while try !Sanitizer.isActive && ProcessFacts.residentMemory(of: process) - before > 32 << 10 {}
            #expect(try ProcessFacts.peakMemory(of: process) < 120_000 || Sanitizer.isActive)
            #expect(try service.get("/targets").text.contains("\"total\":1"))
        }
    }

    @Test("10,000 lots of random bytes: no answer but refusals")
    func randomBytes() throws {
        try attack { service in
            var random = SeededGenerator(seed: 0x0dd_b17e5)
            for number in 0..<10_000 {
                let count = number % 100 == 0 ? 20_000 : Int(random.next() % 200)
                var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                // Half of them look like a request at first.
                if number % 2 == 0 { bytes = Array("GET /targets".utf8) + bytes }
                let connection = try HTTPConnection(port: service.port)
                _ = try? connection.send(bytes)
                if number % 3 == 0 {
                    reset(connection)
                } else {
                    connection.finishSending()
                    let answer = String(decoding: receiveAll(connection.socket), as: UTF8.self)
                    #expect(!answer.contains("HTTP/1.1 200"))
                }
            }
        }
    }

    @Test("headers and bodies that arrive slowly end with 408, and delay no other client")
    func slowRequests() throws {
        try attack { service in
            let beginnings = [
                "GET /targets HTTP/1.1\r\nHost: local",
                head("POST /targets", "Content-Length: 100\r\n") + "{",
                head("POST /targets", "Transfer-Encoding: chunked\r\n") + "a\r\n{",
            ]
            var clients: [HTTPConnection] = []
            for number in 0..<90 {
                let client = try HTTPConnection(port: service.port)
                try client.send(beginnings[number % 3])
                clients.append(client)
            }
            for client in clients {
                _ = try? client.send("x")
                let reply = try client.receive()
                #expect(reply.status == 408)
                #expect(reply["Content-Type"] == "application/problem+json")
            }
            // What does not even finish its first line is ended without an answer.
            let silent = try HTTPConnection(port: service.port)
            try silent.send("GET /tar")
            #expect(try silent.isClosedByServer())
        }
    }

    @Test("clients that request much and read nothing are disconnected")
    func slowReads() throws {
        let targets = (0..<400).map { "{id: t\($0), address: 127.0.0.1}" }.joined(separator: ", ")
        try attack(Self.configuration.replacing("{id: one,", with: "\(targets), {id: one,")) { service in
            // More than the server reads at a time: an end with something unread is a reset, which the client sees at once.
            let request = String(repeating: head("GET /targets"), count: 2_000)
            let clients = try (0..<40).map { _ in try HTTPConnection(port: service.port) }
            for client in clients {
                // As much as fits; most of the answers do not.
                let bytes = Array(request.utf8)
                _ = unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.send(client.socket.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
                }
            }
            for client in clients {
                // POLLHUP comes with the end of both directions, whatever is still unread.
                var entry = pollfd(fd: client.socket.number, events: 0, revents: 0)
                #expect(unsafe poll(&entry, 1, 600_000) == 1)
            }
        }
    }

    @Test("a stream's reader that stalls is ended, and another gets every event meanwhile")
    func stalledReader() throws {
        func text(_ count: Int) -> String {
            let name = String(repeating: "x", count: 200)
            let targets = (0..<200).map { "{id: t\($0), address: 127.0.0.1, name: \(name)\(count)}" }
            return Self.configuration.replacing("{id: one,", with: "\(targets.joined(separator: ", ")), {id: one,")
        }
        try attack(text(0)) { service in
            let stuck = try HTTPConnection(port: service.port)
            var size: Int32 = 4096
            _ = unsafe setsockopt(
                stuck.socket.number,
                SOL_SOCKET,
                SO_RCVBUF,
                &size,
                socklen_t(MemoryLayout<Int32>.size)
            )
            try stuck.send(head("GET /events?snapshot=1"))
            let reader = try SSEClient("/events?event=target&event=config", port: service.port)
            let opened = try ProcessFacts.descriptors(of: service.process.pid)
            for round in 1...30 {
                try service.reload(text(round))
                var seen = 0
                while let message = try reader.next(), message.event != "config" {
                    if message.event == "target" { seen += 1 }
                }
                #expect(seen == 200)
            }
            // The service has closed its side; the kernel cannot tell a client that takes nothing.
            while try ProcessFacts.descriptors(of: service.process.pid) >= opened {}
            withExtendedLifetime(stuck) {}
        }
    }

    @Test("1,000 requests in one write are answered in their order")
    func pipelining() throws {
        try attack { service in
            let connection = try HTTPConnection(port: service.port)
            let paths = ["/livez", "/targets/one", "/none"]
            let text = (0..<1_000).map { head("GET \(paths[$0 % 3])") }.joined()
            let socket = connection.socket
            let sender = try LinuxIO.Thread(name: "sender") { _ = try? sendAll(text, to: socket) }
            for number in 0..<1_000 {
                let reply = try connection.receive()
                #expect(reply.status == (number % 3 == 2 ? 404 : 200))
            }
            sender.end()
        }
    }

    @Test(
        "bodies in broken chunks are refused or cut off, never taken",
        arguments: [
            "zz\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n", "ff\r\nabc", "3\r\nabcX\r\n0\r\n\r\n",
            "\r\n3\r\nabc\r\n0\r\n\r\n",
            "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", "fffffffffffffffff\r\nabc\r\n0\r\n\r\n", "3;",
            "3\r\nabc\r\n0\r\nX\r\n\r\n", "0x3\r\nabc",
            "3\r\nabc\r\n0\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n",
            "3;\(String(repeating: "x", count: 100_000))\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n0\r\n\r\n", "\0\r\n",
        ]
    )
    func brokenChunks(_ body: String) throws {
        try attack { service in
            for finishes in [true, false] {
                let answer = try exchange(
                    head("POST /targets", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") + body,
                    port: service.port,
                    finishes: finishes
                )
                #expect(["", "HTTP/1.1 4"].contains(String(answer.prefix(10))), "\(answer)")
            }
        }
    }

    @Test("odd request lines, and NUL, CR and LF in every place of a request, are refused and smuggle nothing")
    func oddRequests() throws {
        try attack { service in
            var lines = [
                "GET /livez", "GET /livez HTTP/0.9", "GET /livez HTTP/2.0", "PRI * HTTP/2.0", "GET /livez HTTX/1.1",
                "GET /li vez HTTP/1.1", "GET  /livez HTTP/1.1", "GET\t/livez\tHTTP/1.1", "GET livez HTTP/1.1",
                "GET http://other/livez HTTP/1.1", "GET ftp://localhost/livez HTTP/1.1",
                "CONNECT localhost:80 HTTP/1.1",
                "GET * HTTP/1.1", "GET", "", " ", "GET / HTTP/1.1 ", "G(T /livez HTTP/1.1",
                "\u{feff}GET /livez HTTP/1.1",
                "GET /livez?a b HTTP/1.1", "GET \\livez HTTP/1.1", "BREW /livez HTTP/1.1",
                "\(String(repeating: "X", count: 5_000)) /livez HTTP/1.1",
            ]
            let parts = ["GET", "/livez", "?a=b", "HTTP/1.1"]
            for control in ["\0", "\r", "\n", "\r\n", "\u{b}", "\u{7f}"] {
                for index in parts.indices {
                    var broken = parts
                    broken[index] = String(parts[index].prefix(1)) + control + parts[index].dropFirst()
                    lines.append("\(broken[0]) \(broken[1])\(broken[2]) \(broken[3])")
                }
            }
            let smuggled = head("GET /targets/one")
            for line in lines {
                let answer = try exchange("\(line)\r\nHost: localhost\r\n\r\n\(smuggled)", port: service.port)
                let status = answer.prefix(10)
                #expect(
                    ["", "HTTP/1.1 4", "HTTP/1.1 5"].contains(String(status)),
                    "\(line.debugDescription): \(answer)"
                )
                // Only what is a whole request of its own may be followed by another answer.
                if !line.hasPrefix("BREW"), !line.hasPrefix("X") {
                    #expect(!answer.contains("\"id\":\"one\""), "\(line.debugDescription)")
                }
            }
            var fields = [
                "X", ": x", "X : x", "X: a\r\n b", "Host: other", "Host: localhost\r\nHost: localhost", "X Y: a",
                "Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length: 3\r\nContent-Length: 3",
                "Content-Length: 3\r\nContent-Length: 4", "Content-Length: -1", "Content-Length: 18446744073709551616",
                "Content-Length: 0x3", "Content-Length: 3,3", "Transfer-Encoding: gzip",
                "Transfer-Encoding: chunked, x",
            ]
            for control in ["\0", "\r", "\n", "\u{b}", "\u{7f}"] { fields += ["X\(control)Y: a", "X: a\(control)b"] }
            for field in fields {
                let answer = try exchange(
                    "POST /livez HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n\(smuggled)",
                    port: service.port
                )
                let status = answer.prefix(10)
                #expect(["HTTP/1.1 4", "HTTP/1.1 5"].contains(String(status)), "\(field.debugDescription): \(answer)")
                #expect(!answer.contains("\"id\":\"one\""), "\(field.debugDescription)")
                // Nothing of what came is said again.
                #expect(!answer.contains("other"), "\(field.debugDescription)")
            }
        }
    }

    @Test("huge queries, heads and bodies get 414, 431 and 413")
    func hugeRequests() throws {
        try attack { service in
            let requests: [(text: String, statuses: [String])] = [
                (head("GET /livez?" + String(repeating: "a", count: 1_000_000)), ["414"]),
                (head("GET /livez?" + String(repeating: "a&", count: 3_900)), ["431"]),
                (head("GET /livez?" + String(repeating: "a", count: 9_000)), ["431"]),
                (head("GET /livez", "X: " + String(repeating: "a", count: 1_000_000) + "\r\n"), ["431"]),
                (head("GET /livez", "X: " + String(repeating: "a", count: 9_000) + "\r\n"), ["431"]),
                (head("GET /livez", String(repeating: "X: a\r\n", count: 10_000)), ["431"]),
                // Well formed: libmicrohttpd 1.0 passes over other cookies, and has room for the line.
                (head("GET /livez", "Cookie: " + String(repeating: "a=b; ", count: 1_500) + "a=b\r\n"), ["431"]),
                (head("POST /targets", "Content-Length: 1000000000000\r\n") + "{", ["413"]),
                (
                    head("POST /targets", "Transfer-Encoding: chunked\r\n")
                        + String(repeating: "1000\r\n\(String(repeating: "x", count: 4_096))\r\n", count: 32)
                        + "0\r\n\r\n",
                    ["413"]
                ),
            ]
            for (text, statuses) in requests {
                for _ in 0..<5 {
                    let answer = try exchange(text, port: service.port)
                    // A reset may overtake the answer while megabytes are still on their way.
                    if answer.isEmpty, text.utf8.count > 500_000 { continue }
                    #expect(statuses.contains(String(answer.dropFirst(9).prefix(3))), "\(text.prefix(80)): \(answer)")
                }
            }
        }
    }

    @Test("streams that are reset in the middle, and clients that close one half, leave nothing behind")
    func resetsAndHalfCloses() throws {
        try attack { service in
            for number in 0..<300 {
                let connection = try HTTPConnection(port: service.port)
                try connection.send(head("GET /events"))
                if number % 2 == 0 { _ = try connection.receiveHead() }
                if number % 3 == 0 {
                    connection.finishSending()
                } else {
                    reset(connection)
                }
            }
            // A client that has said all it has to say gets the answer to it.
            for _ in 0..<100 {
                let answer = try exchange(head("GET /targets/one"), port: service.port)
                #expect(answer.contains("\"id\":\"one\""))
            }
        }
    }

    @Test("an endless chunk line does not keep the CPU busy")
    func endlessChunkLine() throws {
        try attack(Self.configuration.replacing("body_timeout: 1s", with: "body_timeout: 60s")) { service in
            let connections = try (0..<10).map { _ in try HTTPConnection(port: service.port) }
            for (index, connection) in connections.enumerated() {
                // Longer than the memory of a connection.
                let line = "3;" + String(repeating: "x", count: 40_000 + index)
                _ = try? connection.send(head("POST /targets", "Transfer-Encoding: chunked\r\n") + line)
            }
            // All are ended long before the body's time is over, which would be answered with 408: by us where the library stands still,
            // and by libmicrohttpd 1.0.1, which answers a line with an extension twice and therefore not at all.
            let replies = connections.compactMap { try? $0.receive() }
            #expect(replies.isEmpty || replies.count == connections.count)
            for reply in replies {
                #expect(reply.status == 400)
                #expect(reply["Content-Type"] == "application/problem+json")
            }
        }
    }
}

private func sendAll(_ text: String, to socket: OwnedDescriptor) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = try systemCall("send") {
            unsafe rest.withUnsafeBytes { unsafe send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
        rest = rest.dropFirst(count)
    }
}
