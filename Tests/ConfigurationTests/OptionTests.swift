// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Schema
import Testing

@testable import Configuration

@Suite struct OptionTests {
    @Test("interface types are read as in the configuration")
    func interfaceTypes() throws {
        let rule = try OptionText.interfaceRule("wl*|altname:modem-*=wifi", option: "--interface-type")
        #expect(rule.type == .wifi)
        #expect(rule.patterns.map(\.subject) == [.name, .altname])
    }

    @Test("connections are read as in the configuration", arguments: DeclaredConnection.Mode.allCases)
    func connections(mode: DeclaredConnection.Mode) throws {
        let connection = try OptionText.connection("10.0.0.0/8,2001:db8::/32=\(mode.rawValue)", option: "--connection")
        #expect(connection.mode == mode)
        #expect(connection.prefixes?.map(\.description) == ["10.0.0.0/8", "2001:db8::/32"])
        #expect(try OptionText.connection("default=\(mode.rawValue)", option: "--connection").prefixes == nil)
    }

    @Test("marks are decimal or hexadecimal")
    func marks() throws {
        #expect(try OptionText.mark("42", option: "--mark") == 42)
        #expect(try OptionText.mark("0x2a", option: "--mark") == 42)
    }

    @Test("faults name the option and the nearest word")
    func diagnostics() {
        let type = #expect(throws: ConfigurationDiagnostic.self) {
            try OptionText.interfaceRule("wl*=wlan", option: "--interface-type")
        }
        #expect(type?.hint == "did you mean wifi?")
        #expect(type?.description.hasPrefix("option --interface-type: 'wlan' is not one of") == true)
        for text in ["wl*", "=wifi", "mode:x=wifi", "wl*="] {
            #expect(throws: ConfigurationDiagnostic.self) {
                try OptionText.interfaceRule(text, option: "--interface-type")
            }
        }
        for text in ["10.0.0.0/8", "10.1.0.0/8=traffic", "x=traffic", "default=auto", "=traffic"] {
            #expect(throws: ConfigurationDiagnostic.self) { try OptionText.connection(text, option: "--connection") }
        }
        for text in ["", "x", "-1", "0x1ffffffff"] {
            #expect(throws: ConfigurationDiagnostic.self) { try OptionText.mark(text, option: "--mark") }
        }
    }
}
