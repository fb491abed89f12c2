// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import ReachAPI
import Schema
import Testing

@testable import Configuration

@Suite struct ListenTests {
    @Test("an entry is an address, or a mapping with a mode or a certificate, alone or in a list")
    func entries() throws {
        let pair = CertificateFiles(certificate: "/c.pem", key: "/c.key")
        let single = try load("listen: {address: 127.0.0.1:1, tls: {cert_file: /c.pem, key_file: /c.key}}").http.listen
        #expect(single == [ListenSettings(.address(.tcp(host: "127.0.0.1", port: 1)), tls: pair)])
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
        #expect(http.listen.map(\.source) == [.systemd(name: nil)])
        #expect(http.api.hosts == .loopback(also: []))
        #expect(!http.namesHosts)
        #expect(try load("listen: systemd\nallowed_hosts: []").http.namesHosts)
        let loader = ConfigurationLoader(environment: ["REACHD_LISTEN": "systemd:a, systemd:b"])
        let names = try loader.load(file: nil).configuration.http.listen.map(\.source)
        #expect(names == [.systemd(name: "a"), .systemd(name: "b")])
    }

    @Test(
        "invalid addresses are reported at their position",
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
            ("listen: [{address: 'unix:/s', mode: '0060'}]", "/listen/0/mode", "excludes the service's own user"),
            ("listen: [{address: 'unix:/s'}, 'unix:/s']", "/listen/1", "occurs twice"),
            ("listen: [systemd, 'systemd:a']", "/listen", "nothing is left"),
            ("listen: 'systemd:'", "/listen", "names no socket"),
            ("listen: []", "/listen", "would not listen"),
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

    @Test(
        "addresses to listen on",
        arguments: [
            ("127.0.0.1:7532", .tcp(host: "127.0.0.1", port: 7532)), ("[::1]:1", .tcp(host: "::1", port: 1)),
            ("*:80", .tcp(host: "*", port: 80)), (":80", .tcp(host: "*", port: 80)),
            ("localhost:0", .tcp(host: "127.0.0.1", port: 0)), ("[::]:65535", .tcp(host: "::", port: 65535)),
            ("unix:/run/x.sock", .unix(path: "/run/x.sock", mode: 0o660)),
        ] as [(String, ListenAddress)]
    )
    func listenAddress(_ text: String, _ expected: ListenAddress) throws {
        let address = try #require(ListenSettings(text)?.address)
        #expect(address == expected)
        #expect(ListenSettings(address.description)?.address == expected)
    }

    @Test(
        "texts that are not listen addresses",
        arguments: [
            "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "::1:80", "[::1]",
            "[127.0.0.1]:80", "example.org:80", "unix:", "unix:relative", "unix:/a\0b", "127.0.0.1:8 ", "1.2.3.4.5:80",
            "unix:/\(String(repeating: "x", count: 107))",
        ]
    )
    func notListenAddress(_ text: String) {
        #expect(ListenSettings(text) == nil)
    }
}

extension ListenSettings {
    fileprivate var mode: UInt32? {
        if case .unix(_, let mode)? = address { mode } else { nil }
    }
}
