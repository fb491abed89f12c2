// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ReachAPI
import Schema
import ServerTrust
import TestSupport
import Testing

@testable import Configuration

@Suite("Access rules") struct AccessTests {
    private func access(_ text: String) throws -> AccessRules { try load("access: {\(text)}").http.api.access }

    @Test("without access rules every client may read") func plain() throws {
        let access = try load("").http.api.access
        #expect(access.tokens.isEmpty && access.origins.isEmpty && access.writesPerSecond == 100)
        #expect(try load("limits: {writes_per_second: 5}").http.api.access.writesPerSecond == 5)
    }

    @Test("a token by its digest, and by its file") func tokens() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("correct-horse-battery\n", to: "token")
        let digest = try #require(SHA256.digest(of: Array("correct-horse-battery".utf8)))
        let digits = digest.map { String($0 + 0, radix: 16) }.map { $0.count == 1 ? "0\($0)" : $0 }.joined()
        let tokens = try access(
            "tokens: [{name: a, token_file: \(file)}, {name: b, digest: \(digits.uppercased()), scopes: [read, write]}, "
                + "{name: c, digest: \(digits), scopes: write}]"
        ).tokens
        #expect(tokens.map(\.name) == ["a", "b", "c"])
        #expect(tokens.allSatisfy { $0.digest == digest })
        #expect(tokens.map { $0.scopes.contains(.read) } == [true, true, false])
        #expect(tokens.map { $0.scopes.contains(.write) } == [false, true, true])
    }

    @Test("the path that all routes are below") func basePath() throws {
        #expect(try load("").http.api.basePath.isEmpty && load("base_path: /").http.api.basePath.isEmpty)
        #expect(try load("base_path: /a-b/c.d_~1").http.api.basePath == "/a-b/c.d_~1")
        for text in ["a", "/a/", "//", "/a//b", "/a/../b", "/.", "/a b", "/%41", "/a?b", "/ä", "\"/a\\nb\"", "''"] {
            #expect(!diagnostics("base_path: \(text)").isEmpty, "\(text)")
        }
        #expect(!diagnostics("base_path: /\(String(repeating: "a", count: 128))").isEmpty)
    }

    @Test("sites") func origins() throws {
        let origins = try access(#"cors_origins: ["https://a.example", "http://[::1]:80"]"#).origins
        #expect(origins == ["https://a.example", "http://[::1]:80"])
    }

    @Test("errors have a position and never repeat a possible secret") func faulty() throws {
        let folder = try TemporaryFolder()
        let short = try folder.write("short", to: "short")
        let two = try folder.write("correct-horse-battery\ncorrect-horse-battery", to: "two")
        let digest = String(repeating: "0a", count: 32)
        let cases: [(String, String)] = [
            ("tokens: [{name: a}]", "/access/tokens/0"), ("tokens: [{digest: \(digest)}]", "/access/tokens/0"),
            ("tokens: [{name: a, digest: correct-horse-battery}]", "/access/tokens/0"),
            ("tokens: [{name: a, digest: \(digest), token_file: \(short)}]", "/access/tokens/0"),
            ("tokens: [{name: a, token_file: \(short)}]", "/access/tokens/0"),
            ("tokens: [{name: a, token_file: \(two)}]", "/access/tokens/0"),
            ("tokens: [{name: a, token_file: \(folder.path)/none}]", "/access/tokens/0"),
            ("tokens: [{name: a, digest: \(digest)}, {name: a, digest: \(digest)}]", "/access/tokens/1"),
            ("tokens: [{name: a, digest: \(digest), scopes: [all]}]", "/access/tokens/0/scopes/0"),
            (#"cors_origins: ["*"]"#, "/access/cors_origins/0"),
            (#"cors_origins: ["https://a.example", "https://a.example/b"]"#, "/access/cors_origins/1"),
            ("cors_origins: [a.example]", "/access/cors_origins/0"),
        ]
        for (text, pointer) in cases {
            let found = faultValues("access: {\(text)}")
            #expect(found.map(\.pointer).contains(pointer), "\(text): \(found)")
            #expect(!found.contains { $0.description.contains("correct-horse") }, "\(text)")
        }
    }
}
