// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring
import Testing

@testable import Importing

@Suite struct ImportNoteTests {
    private func imported(_ text: String) throws -> ImportedConfiguration {
        try ImportedConfiguration(Array(text.utf8), path: "gatus.yaml")
    }

    @Test("the kind of a note is its text without subject and values")
    func kinds() {
        let title = NoteSubject(term: "the endpoint", name: "core/a: b")
        let kinds: [(NoteText, String, String)] = [
            (
                "\(title): the condition \("'x'") is lost", "the endpoint core/a: b: the condition 'x' is lost",
                "the condition … is lost"
            ),
            (
                "\(title) is left out: \(same: "url: ")\(quoting: "'a' has no host")",
                "the endpoint core/a: b is left out: url: 'a' has no host",
                "the endpoint … is left out: url: … has no host"
            ),
            ("plain", "plain", "plain"), ("a" + "b \(1)", "ab 1", "ab …"),
        ]
        for (note, words, kind) in kinds { #expect(note.words == words && note.kind == kind) }
        #expect("\(NoteSubject(term: "the endpoint", name: ""))" == "the endpoint without a name")
    }

    @Test("notes of a kind are one line with their number, and a single one is itself; the summary counts losses")
    func groups() throws {
        let imported = try imported(
            """
            endpoints:
              - { name: a, url: "tcp://192.0.2.1:1", conditions: [ "[BODY] == a", "[DOMAIN_EXPIRATION] > 720h" ] }
              - { name: b, url: "tcp://192.0.2.1:2", conditions: [ "[DOMAIN_EXPIRATION] > 48h" ], odd: 1 }
              - { name: c, url: "ssh://192.0.2.1" }
              - { name: d, url: "tcp://192.0.2.1:3", enabled: false }
            """
        )
        #expect(
            imported.groups.map(\.line) == [
                "gatus.yaml: 3 times: the condition … is not carried over (first on line 2)",
                "gatus.yaml: 2 times: the endpoint … is written as a comment: none of its conditions can be carried over, and "
                    + "without them it would be up whenever it answers (first on line 2)",
                "gatus.yaml:3:87: the endpoint b: 'odd' is not carried over",
                "gatus.yaml:4:21: the endpoint c is left out: reachd does not support ssh://",
                "gatus.yaml:5:5: the endpoint d is written as a comment: it is not enabled",
            ]
        )
        #expect(imported.notes.count == 8)
        #expect(imported.summary == "0 of 4 endpoints imported, 3 more as comments; lost: 3 conditions, 1 setting")
        let whole = try self.imported("endpoints:\n  - { url: \"tcp://192.0.2.1:1\" }\nx-a: &a 1\ndefaults: { b: 2 }")
        #expect(whole.summary == "1 of 1 endpoint imported; nothing lost" && whole.notes.isEmpty)
    }

    @Test("the variables of a header are one line, and each file of a secret is named")
    func secrets() throws {
        let endpoints = ["a", "b"].map { "  - { name: \($0), url: \"http://a.test/\", headers: { X-Key: \($0) } }\n" }
        #expect(
            try imported("endpoints:\n\(endpoints.joined())").groups.map(\.line) == [
                "gatus.yaml:1:1: environment variables are read: A_X_KEY, B_X_KEY; an unset one is empty",
                "gatus.yaml: 2 times: put the value of headers.X-Key in the environment variable … (first on line 2)",
            ]
        )
        let http = "{ preferred_ip_protocol: ip4, bearer_token: t }"
        let modules = ["a", "b"].map { "  \($0): { prober: http, http: \(http) }\n" }
        let words = "put the value of http.bearer_token in the file /run/secrets"
        #expect(
            try imported("modules:\n\(modules.joined())").groups.map(\.line) == [
                "gatus.yaml:2:3: the module 'a': \(words)/a-token", "gatus.yaml:3:3: the module 'b': \(words)/b-token",
            ]
        )
    }

    @Test("what must not be probed as it is, is a comment that is valid without its # characters")
    func comments() throws {
        let imported = try imported(
            """
            endpoints:
              - { name: up, url: "tcp://192.0.2.1:1" }
              - { name: "off # x", url: "https://a.test/", enabled: false, conditions: [ "[STATUS] == 200" ] }
              - { name: via, url: "https://b.test/", client: { proxy-url: "http://user:s3cret@p:1" } }
              - { name: var, url: "https://c.test/", client: { proxy-url: "${PROXY}" } }
              - { name: tunnel, url: "https://d.test/", client: { tunnel: t } }
              - { name: names, url: "https://e.test/", client: { dns-resolver: "tcp://192.0.2.53:53" } }
              - { name: address, url: "https://192.0.2.9/", client: { dns-resolver: "tcp://192.0.2.53:53" } }
              - { name: kept, url: "https://f.test/", client: { proxy-url: "http://p:3128" } }
            """
        )
        #expect(try load(imported.text).targets.map(\.id) == ["up", "address", "kept"])
        #expect(!imported.text.contains("s3cret") && !imported.notes.contains { $0.words.contains("s3cret") })
        let lines = imported.text.split(separator: "\n").map { $0.hasPrefix("#  ") ? $0.dropFirst() : $0 }
        let targets = try load(lines.joined(separator: "\n")).targets
        #expect(targets.map(\.id) == ["up", "address", "kept", "off-x", "via", "var", "tunnel", "names"])
        #expect(imported.summary == "3 of 8 endpoints imported, 5 more as comments")
        // Without anything else, the result is still a configuration.
        let text = "endpoints: [ { url: \"tcp://192.0.2.1:1\", enabled: false } ]"
        #expect(try load(self.imported(text).text).targets.isEmpty)
    }
}
