// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import Schema
import Testing

@testable import Configuration

@Suite struct SubstitutionTests {
    static let environment = ["HOST": "example.org", "EMPTY": "", "PORT": "8443", "SECRET": "hunter2 hunter2"]

    @Test(
        "references are replaced",
        arguments: [
            ("plain", "plain"), ("${HOST}", "example.org"), ("a-${HOST}-${PORT}", "a-example.org-8443"),
            ("${NONE:-x}", "x"), ("${NONE:-}", ""), ("${EMPTY:-x}", "x"), ("${EMPTY}", ""),
            ("${HOST:-x}", "example.org"),
            ("$$", "$"), ("$${HOST}", "${HOST}"), ("$$$$", "$$"), ("$HOST", "$HOST"), ("a$", "a$"),
            ("${NONE:-a:-b}", "a:-b"), ("$", "$"),
        ]
    )
    func replaced(text: String, expected: String) throws {
        #expect(try Substitution.replace(in: text, environment: Self.environment).text == expected)
    }

    @Test(
        "text that is not a reference is an error",
        arguments: [
            ("${NONE}", ConfigurationDiagnostic.Code.unsetVariable), ("${", .badReference), ("${}", .badReference),
            ("${1A}", .badReference), ("${A B}", .badReference), ("${A:x}", .badReference), ("${:-x}", .badReference),
            ("${A${B}}", .badReference), ("${HOST} ${", .badReference),
        ]
    )
    func faulty(text: String, code: ConfigurationDiagnostic.Code) {
        let error = #expect(throws: Diagnostic.self) {
            try Substitution.replace(in: text, environment: Self.environment)
        }
        #expect(error?.code == code)
    }

    @Test("a variable can be of any type, in quotes or not, and empty ones leave the key out")
    func types() throws {
        let configuration = try load(
            """
            auto_targets: "${YES:-true}"
            events: {heartbeat: "${BEAT:-20s}"}
            targets:
              - host: ${HOST}
                port: "${PORT}"
                group: ${NONE:-}
                name: $${HOST}
            """,
            environment: Self.environment
        )
        #expect(configuration.watchesAutomatically)
        #expect(configuration.http.limits.heartbeat == .seconds(20))
        #expect(configuration.targets.first?.text == "example.org")
        #expect(configuration.targets.first?.port == 8443)
        #expect(configuration.targets.first?.group == nil)
        #expect(configuration.targets.first?.name == "${HOST}")
    }

    @Test("an unset variable is a fault at its place")
    func unset() {
        #expect(
            diagnostics("log:\n  level: ${LEVEL}") == [
                "reachd.yaml:2:10: '${LEVEL}' refers to the variable LEVEL, which is not set; "
                    + "set it, or write ${LEVEL:-default} [unset_variable]"
            ]
        )
    }

    @Test("a variable's value is YAML text, never YAML, and never shown")
    func injection() {
        let told = diagnostics("targets: [{host: \"${SECRET}\"}]", environment: Self.environment)
        #expect(told.count == 1)
        #expect(told.allSatisfy { !$0.contains("hunter2") })
        let list = diagnostics("listen: ${LIST}", environment: ["LIST": "[127.0.0.1:80, 127.0.0.1:81]"])
        #expect(list.count == 1)
    }

    @Test("keys are not replaced")
    func keys() {
        #expect(faultValues("${HOST}: 1", environment: Self.environment).map(\.code) == [.unknownKey])
    }
}
