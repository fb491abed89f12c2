// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

/// Private keys, passwords and tokens are used, and never told: in no answer, no event and no line of the log, whatever goes
/// wrong with their files.
@Suite(.timeLimit(.minutes(15))) struct SecrecyTests {
    static let token = "tok-5eCr3t-0123456789-abcdefghij"
    static let password = "pass-5eCr3t-9876543210-jihgfedcba"

    /// What must not be seen: each line of the keys, and the words.
    static func secrets() throws -> [String] {
        let keys = try ["leaf", "client-only", "leaf-other-key"].map { name in
            String(decoding: try FileContents.read(CertificateFixture.key(name), limit: 1 << 16), as: UTF8.self)
        }
        let lines = keys.flatMap { $0.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init) }
        #expect(lines.count > 6)
        return lines + [token, password]
    }

    static func target(_ id: String, _ port: UInt16, _ tls: String, _ rest: String = "") -> String {
        """
          - id: \(id)
            address: 127.0.0.1
            probe:
              type: http
              interval: 1h
              url: https://127.0.0.1:\(port)/?token=\(token)
              tls: { server_name: good.test, ca_file: "\(CertificateFixture.path("root"))", \(tls) }
              \(rest)

        """
    }

    @Test("A private key, a password or a token is in no log, event or response") func secrecy() throws {
        let secrets = try Self.secrets()
        let asking = try HandshakeServer("leaf", ["-Verify", "2"])
        let folder = try TemporaryFolder()
        let token = try folder.write(Self.token + "\n", to: "token")
        let password = try folder.write(Self.password + "\n", to: "password")
        let mixed = try folder.write("\(Self.token)\n\(Self.password)\n", to: "two-lines")
        let key = CertificateFixture.key("client-only")
        let certificate = CertificateFixture.path("client-only")
        var text = "log: { level: trace }\nprobing: { start_spread: 0s }\ntargets:\n"
        let good = #"cert_file: "\#(certificate)", key_file: "\#(key)""#
        text += Self.target("shown", asking.port, good, #"auth: { token_file: "\#(token)" }"#)
        text += Self.target("basic", asking.port, good, #"auth: { user: me, password_file: "\#(password)" }"#)
        // Files in each other's places.
        let wrong = #"cert_file: "\#(key)", key_file: "\#(certificate)""#
        text += Self.target("swapped", asking.port, wrong)
        let other = CertificateFixture.key("leaf-other-key")
        text += Self.target("stranger", asking.port, #"cert_file: "\#(certificate)", key_file: "\#(other)""#)
        text += Self.target("password", asking.port, #"cert_file: "\#(password)", key_file: "\#(token)""#)
        text += Self.target("authority", asking.port, good).replacing(CertificateFixture.path("root"), with: key)
        text += Self.target("lines", asking.port, good, #"auth: { token_file: "\#(mixed)" }"#)
        text += Self.target("key", asking.port, good, #"auth: { token_file: "\#(key)" }"#)
        let ids = ["shown", "basic", "swapped", "stranger", "password", "authority", "lines", "key"]

        let service = try RunningService(text)
        var seen: [String] = []
        let stream = try SSEClient("/events?include=result", port: service.port)
        for id in ids {
            let answer = try HTTPClient.request("POST", "/targets/\(id)/probe", port: service.port).text
            let isUsed = ["shown", "basic"].contains(id)
            #expect(answer.contains(#""outcome":"success""#) == isUsed, "\(answer)")
            seen.append(answer)
            seen.append(try service.get("/targets/\(id)").text)
            while let event = try stream.next() {
                seen.append(event.data)
                if event.event == "result", event.data.contains(#""target":"\#(id)""#) { break }
            }
        }
        for path in ["/status", "/targets", "/openapi.yaml", "/version", "/nowhere"] {
            seen.append(try service.get(path).text)
        }
        // A configuration that is refused is told, too: here with a key's file as a pin and a secret as a key.
        try service.reload(text + Self.target("pinned", asking.port, #"pins: ["\#(key)"], cert_file: [\#(token)]"#))
        while let event = try stream.next() {
            seen.append(event.data)
            if event.event == "config" { break }
        }
        service.process.kill(SIGTERM)
        while let line = service.process.readLine() { seen.append(line) }
        seen += service.log
        for secret in secrets {
            #expect(!seen.contains { $0.contains(secret) }, "a secret of \(secret.count) characters was told")
        }
        #expect(seen.contains { $0.contains(#""action":"rejected""#) })
    }
}
