// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct ParameterTests {
    private static let texts: [String] = [
        "", "a", "O'Brien", "\"quoted\"", "back\\slash\\\\", "a,b;c", "{braces}", "NULL", "null", "line\nend\r\t",
        " spaces ",
        "🧭 e\u{301} 日本", "$1", "%s", "--", "/*", "\u{1}\u{7F}", String(repeating: "long ", count: 2_000),
    ]

    @Test("Every type of parameter comes back equal")
    func roundTrip() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        let integers: [Int64?] = [0, -1, .max, .min, nil]
        let doubles: [Double?] = [
            0, -0.5, 0.1, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, nil,
        ]
        let bytes: [[UInt8]?] = [[], [0], Array(0...255), nil, Array("\\x\"',{}".utf8)]
        let texts: [String?] = Self.texts + [nil]
        let rows = try await client.execute(
            """
            SELECT $1::bool, $2::bigint, $3::float8, $4::text, $5::bytea, $6::bigint[], $7::bool[], $8::float8[], $9::text[],
                $10::bytea[], $11::text, $12::bigint[], $13::text[]
            """,
            [
                .bool(true), .integer(.min), .double(0.1), .text("O'Brien \\ \"🧭\""), .bytes(Array(0...255)),
                .integers(integers), .booleans([true, false, nil]), .doubles(doubles), .texts(texts),
                .byteArrays(bytes),
                .null, .integers([]), .texts([]),
            ]
        )
        #expect(rows.rowCount == 1 && rows.columnCount == 13 && rows.affectedRows == 1)
        #expect(try rows.bool(0, 0))
        #expect(try rows.integer(0, 1) == .min)
        #expect(try rows.double(0, 2) == 0.1)
        #expect(try rows.text(0, 3) == "O'Brien \\ \"🧭\"")
        #expect(try rows.bytes(0, 4) == Array(0...255))
        #expect(try rows.integers(0, 5) == integers)
        #expect(try rows.booleans(0, 6) == [true, false, nil])
        #expect(try rows.doubles(0, 7) == doubles)
        #expect(try rows.texts(0, 8) == texts)
        #expect(try rows.byteArrays(0, 9) == bytes)
        #expect(try rows.optionalText(0, 10) == nil)
        #expect(try rows.integers(0, 11) == [])
        #expect(try rows.texts(0, 12) == [])
        #expect(try rows.double(0, 2).isNaN == false)
        #expect(try await client.execute("SELECT $1::float8", [.double(.nan)]).double(0, 0).isNaN)
    }

    @Test("Random texts and numbers come back equal, alone and in arrays")
    func randomRoundTrip() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        var generator = SeededGenerator(seed: 3)
        let scalars = "{}\"',\\NULL;$%\u{1}\t\n é日🧭\u{301}ab".unicodeScalars.map { $0 }
        for _ in 0..<100 {
            let texts: [String?] = (0..<20).map { _ in
                guard !generator.once(in: 8) else { return nil }
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0..<9, using: &generator) {
                    text += [scalars.randomElement(using: &generator) ?? "a"]
                }
                return String(text)
            }
            let doubles: [Double?] = (0..<20).map { _ in Double(bitPattern: generator.next()) }.map {
                $0.isNaN ? nil : $0
            }
            let rows = try await client.execute(
                "SELECT $1::text[], $2::float8[], unnest($1::text[])",
                [.texts(texts), .doubles(doubles)]
            )
            #expect(try rows.texts(0, 0) == texts)
            #expect(try rows.doubles(0, 1) == doubles)
            for (index, text) in texts.enumerated() { #expect(try rows.optionalText(index, 2) == text) }
        }
    }

    @Test("Megabytes of parameters are sent and come back")
    func largeParameters() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.uri(), passwordFile: server.passwordFile)
        let numbers = (0..<1_000_000).map { Int64($0) as Int64? }
        let rows = try await client.execute(
            "SELECT count(*), sum(x), $1::bigint[] FROM unnest($1::bigint[]) x",
            [.integers(numbers)]
        )
        #expect(try rows.integer(0, 0) == 1_000_000)
        #expect(try rows.integers(0, 2) == numbers)
    }
}
