// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import Testing

@testable import Configuration

@Suite struct ListenTests {
    @Test("an entry is an address, or a mapping with a mode or a certificate, alone or in a list")
    func entries() throws {
        let pair = CertificateSettings(certificateFile: "/c.pem", keyFile: "/c.key")
        let single = try load("listen: {address: 127.0.0.1:1, tls: {cert_file: /c.pem, key_file: /c.key}}").http.listen
        #expect(single == [ListenSettings(.init("127.0.0.1:1") ?? .standard, tls: pair)])
        let list = try load(
            """
            listen:
              - 127.0.0.1:2
              - {address: "unix:/s", mode: "0600"}
              - {address: "unix:/t", mode: 660}
              - {address: "systemd:web", tls: {cert_file: /c.pem, key_file: /c.key}}
            """
        ).http.listen
        #expect(list.map(\.description) == ["127.0.0.1:2", "unix:/s", "unix:/t", "systemd:web"])
        #expect(list.map(\.mode) == [nil, 0o600, 0o660, nil])
        #expect(list.map(\.tls) == [nil, nil, nil, pair])
    }

    @Test("systemd stands for all sockets that are handed over, and leaves the guard against foreign names up")
    func systemd() throws {
        let http = try load("listen: systemd").http
        #expect(http.listen.map(\.address) == [.systemd(name: nil)])
        #expect(http.allowedHosts == [])
        #expect(!http.namesHosts)
        #expect(try load("listen: systemd\nallowed_hosts: []").http.namesHosts)
        let loader = ConfigurationLoader(environment: ["REACHD_LISTEN": "systemd:a, systemd:b"])
        let names = try loader.load(file: nil).configuration.http.listen.map(\.address)
        #expect(names == [.systemd(name: "a"), .systemd(name: "b")])
    }

    @Test(
        "what makes no sense is said where it stands",
        arguments: [
            ("listen: {address: 127.0.0.1:1, tls: {cert_file: /c.pem}}", "/listen/tls", "key_file"),
            ("listen: [{tls: {cert_file: /c.pem, key_file: /k}}]", "/listen/0", "needs the key address"),
            (
                "listen: [{address: 127.0.0.1:1, tls: {cert_file: c.pem, key_file: /k}}]", "/listen/0/tls/cert_file",
                "root"
            ),
            ("listen: [{address: 127.0.0.1:1, ssl: x}]", "/listen/0/ssl", "did you mean tls?"),
            ("listen: [{address: 127.0.0.1:1, mode: '0600'}]", "/listen/0/mode", "only the file of a unix socket"),
            ("listen: [{address: 'unix:/s', mode: '0999'}]", "/listen/0/mode", "not the permissions"),
            ("listen: [{address: 'unix:/s', mode: '07777'}]", "/listen/0/mode", "not the permissions"),
            ("listen: [{address: 'unix:/s', mode: '0060'}]", "/listen/0/mode", "own user out"),
            ("listen: [{address: 'unix:/s'}, 'unix:/s']", "/listen/1", "stands twice"),
            ("listen: [systemd, 'systemd:a']", "/listen", "nothing is left"),
            ("listen: 'systemd:'", "/listen", "names no socket"),
            ("listen: []", "/listen", "deaf"),
            ("listen: [[127.0.0.1:1]]", "/listen/0", "a list"),
        ]
    )
    func faultsAreTold(text: String, pointer: String, words: String) throws {
        let found = faultValues(text)
        #expect(
            found.contains { $0.description.contains(words) && $0.pointer == pointer },
            "\(found.map { "\($0.pointer) \($0)" })"
        )
    }
}
