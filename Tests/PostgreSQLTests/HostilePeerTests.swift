// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HostilePeerTests {
    private func settings(_ peer: ScriptedPeer, deadline: Duration = .seconds(30)) throws -> DatabaseSettings {
        var settings = try DatabaseClient.settings("postgresql://reachd@127.0.0.1:\(peer.port)/reachd?sslmode=disable")
        settings.attemptTimeout = deadline
        settings.connectTimeout = .seconds(60)
        settings.statementTimeout = deadline
        settings.resultLimit = 1 << 20
        return settings
    }

    /// The results of connecting and of one statement; every completion comes once.
    private func visit(_ settings: DatabaseSettings) async throws -> (
        DatabaseError?, Result<DatabaseRows, DatabaseError>?
    ) {
        let client = try DatabaseClient(settings)
        if let error = await client.connectError() { return (error, nil) }
        do throws(DatabaseError) {
            return (nil, .success(try await client.execute("SELECT 1", within: nil)))
        } catch {
            return (nil, .failure(error))
        }
    }

    private func reason(_ result: Result<DatabaseRows, DatabaseError>?) -> DatabaseError.Reason? {
        if case .failure(let error) = result { error.reason } else { nil }
    }

    @Test("A peer that follows the protocol is understood, also byte by byte")
    func wellBehaved() async throws {
        let peer = try ScriptedPeer()
        let answer = ServerMessage.head + ServerMessage.row("hello") + ServerMessage.end
        for piece in [1 << 16, 1] {
            peer.play(.init(start: ServerMessage.start, answer: answer, piece: piece, closes: false))
            let (error, result) = try await visit(settings(peer))
            #expect(error == nil)
            #expect(try result?.get().text(0, 0) == "hello")
        }
    }

    @Test(
        "Garbage, an old server and early ends during the start are errors",
        arguments: [
            (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), DatabaseError.Reason.protocolViolation),
            (Array("SSH-2.0-OpenSSH\r\n".utf8), .protocolViolation),
            ([], .connectionLost),
            (Array(ServerMessage.start.prefix(20)), .connectionLost),
            (ServerMessage.make("R", ServerMessage.bytes(99)), .protocolViolation),
            (ServerMessage.make("R", [], length: 0x7FFF_FFFF), .protocolViolation),
            (ServerMessage.error("53300", "sorry, too many clients already", severity: "FATAL"), .tooManyConnections),
            (ServerMessage.error("57P03", "das Datenbanksystem startet", severity: "SCHWERWIEGEND"), .shuttingDown),
            (ServerMessage.make("R", ServerMessage.bytes(3)), .authenticationFailed),
            (
                ServerMessage.make("R", ServerMessage.bytes(0))
                    + ServerMessage.make("S", Array("server_version\u{0}12.9\u{0}".utf8))
                    + ServerMessage.make("Z", [0x49]),
                .serverTooOld
            ),
        ]
    )
    func start(bytes: [UInt8], expected: DatabaseError.Reason) async throws {
        let peer = try ScriptedPeer()
        peer.play(.init(start: bytes))
        let (error, _) = try await visit(settings(peer))
        #expect(error?.reason == expected, "\(String(describing: error))")
    }

    @Test("A peer that is silent, or sends the start without end, is left at the deadline or at the limit")
    func silence() async throws {
        let peer = try ScriptedPeer()
        peer.play(.init(start: [], closes: false))
        #expect(try await visit(settings(peer, deadline: .milliseconds(200))).0?.reason == .connectTimeout)
        let notices = Array(repeating: ServerMessage.make("S", Array("a\u{0}b\u{0}".utf8)), count: 200_000).flatMap {
            $0
        }
        peer.play(.init(start: ServerMessage.make("R", ServerMessage.bytes(0)) + notices, closes: false))
        #expect(try await visit(settings(peer)).0?.reason == .protocolViolation)
    }

    @Test("A value of a gigabyte, rows without end and notices without end are bounded")
    func endless() async throws {
        let peer = try ScriptedPeer()
        let chunk = [UInt8](repeating: 0x41, count: 1 << 20)
        let huge =
            ServerMessage.head
            + ServerMessage.make("D", [0, 1] + ServerMessage.bytes(0x3F00_0000), length: 0x3F00_000A)
        peer.play(
            .init(
                start: ServerMessage.start,
                answer: huge + Array(repeating: chunk, count: 64).flatMap { $0 },
                closes: false
            )
        )
        #expect(reason(try await visit(settings(peer)).1) == .resultTooLarge)
        let rows = Array(repeating: ServerMessage.row(String(repeating: "x", count: 100)), count: 1_000).flatMap { $0 }
        peer.play(.init(start: ServerMessage.start, answer: ServerMessage.head + rows, closes: false))
        #expect(reason(try await visit(settings(peer, deadline: .milliseconds(300))).1) == .timeout)
        let notice = ServerMessage.make("N", Array("SNOTICE\u{0}C00000\u{0}Mx\u{0}\u{0}".utf8))
        let notices = Array(repeating: notice, count: 1_000).flatMap { $0 }
        peer.play(.init(start: ServerMessage.start, answer: notices, repeats: true, closes: false))
        #expect(reason(try await visit(settings(peer)).1) == .resultTooLarge)
    }

    @Test("An error and the end of the stream together are the error of the statement")
    func errorThenEnd() async throws {
        let peer = try ScriptedPeer()
        peer.play(.init(start: ServerMessage.start, answer: ServerMessage.error("22012", "division by zero")))
        #expect(reason(try await visit(settings(peer)).1) == .invalidInput)
        peer.play(.init(start: ServerMessage.start, answer: ServerMessage.error("57P01", "bye", severity: "FATAL")))
        #expect(reason(try await visit(settings(peer)).1) == .shuttingDown)
        peer.play(.init(start: ServerMessage.start, answer: ServerMessage.head))
        #expect(reason(try await visit(settings(peer)).1) == .connectionLost)
    }

    @Test(
        "An answer that libpq does not understand ends the connection",
        arguments: [ServerMessage.make("x", [1, 2, 3]), ServerMessage.make("D", [0, 1, 0, 0, 0, 1, 0x41])]
    )
    func misunderstanding(message: [UInt8]) async throws {
        let peer = try ScriptedPeer()
        peer.play(.init(start: ServerMessage.start, answer: message + ServerMessage.end, closes: false))
        let client = try DatabaseClient(settings(peer))
        _ = try await client.connect()
        #expect(await client.executeError("SELECT 1")?.reason == .protocolViolation)
        #expect(try await client.ends.next().reason == .protocolViolation)
    }

    @Test("Mutated conversations end with one result each")
    func mutations() async throws {
        let peer = try ScriptedPeer()
        let answer =
            ServerMessage.head + ServerMessage.row("hello") + ServerMessage.row("")
            + ServerMessage.make("A", ServerMessage.bytes(1) + Array("channel\u{0}payload\u{0}".utf8))
            + ServerMessage.end
        var generator = SeededGenerator(seed: 17)
        func mutate(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &generator)))
                case 3: bytes.removeLast(bytes.count - place)
                default: bytes.insert(contentsOf: ServerMessage.row("inserted"), at: place)
                }
            }
            return bytes
        }
        var outcomes: [String: Int] = [:]
        for round in 0..<400 {
            let piece = generator.once(in: 4) ? 1 : 1 << 16
            let hasStarted = round.isMultiple(of: 2)
            let start = hasStarted ? ServerMessage.start : mutate(ServerMessage.start + answer)
            peer.play(.init(start: start, answer: hasStarted ? mutate(answer) : [], piece: piece))
            let (error, result) = try await visit(settings(peer, deadline: .milliseconds(500)))
            let code = error?.reason ?? reason(result)
            outcomes[code?.rawValue ?? "success", default: 0] += 1
        }
        #expect(outcomes.values.reduce(0, +) == 400)
        #expect((outcomes["success"] ?? 0) > 0 && outcomes.count > 3, "\(outcomes)")
    }
}
