// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths
import Schema
import Testing

@testable import Configuration

@Suite struct OverrideTests {
    @Test("the environment wins over the file, the command line over both")
    func order() throws {
        let text = "log: {level: error, format: json}\nevents: {heartbeat: 20s}"
        let environment = ["REACHD_LOG_LEVEL": "warning", "REACHD_EVENTS_HEARTBEAT": "30s"]
        let configuration = try load(
            text,
            environment: environment,
            overrides: [.init("log.level", "debug", option: "--log-level")]
        )
        #expect(configuration.log == LogSettings(level: "debug", format: .json))
        #expect(configuration.http.limits.heartbeat == .seconds(30))
    }

    @Test("the environment works without a file, and lists are separated by commas")
    func withoutFile() throws {
        let environment = [
            "REACHD_LISTEN": "127.0.0.1:1, [::1]:2,unix:/a", "REACHD_MARK": "0x10", "REACHD_AUTO_TARGETS": "false",
        ]
        let configuration = try load("", environment: environment)
        #expect(configuration.http.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2", "unix:/a"])
        #expect(configuration.paths.mark == 16)
        #expect(!configuration.watchesAutomatically)
    }

    @Test("errors of overrides name the variable or the option, and errors of the file are still reported")
    func faultPlaces() {
        let told = diagnostics(
            "log: {level: lout}",
            environment: ["REACHD_LOG_LEVEL": "laut", "REACHD_MARK": ""],
            overrides: [.init("listen", "80", option: "--listen")]
        )
        #expect(told.count == 3)
        #expect(told.first?.hasPrefix("reachd.yaml:1:14: 'lout'") == true)
        #expect(told.contains { $0.hasPrefix("environment variable REACHD_LOG_LEVEL: 'laut' is not one of") })
        #expect(told.contains { $0.hasPrefix("option --listen: '80' has no address") })
    }

    @Test("the variables follow from the table")
    func variables() {
        let keys = EnvironmentVariables.keys
        #expect(keys["REACHD_LISTEN"] == "listen")
        #expect(keys["REACHD_LOG_LEVEL"] == "log.level")
        #expect(keys["REACHD_EVENTS_MAX_STREAMS"] == "events.max_streams")
        #expect(keys["REACHD_PROBING_MAX_CONCURRENT"] == "probing.max_concurrent")
        #expect(keys["REACHD_TARGETS"] == nil)
        for (name, key) in keys {
            #expect(name == "REACHD_" + key.uppercased().replacing(".", with: "_"))
        }
    }

    @Test("an unknown variable with reachd's prefix is a warning, unless another program uses it")
    func unknownVariables() throws {
        let environment = [
            "REACHD_LOGLEVEL": "debug", "REACHD_CONFIG": "x", "REACHD_MINE": "a", "REACHD_SERVICE_HOST": "10.0.0.1",
            "REACHD_PORT": "tcp://10.0.0.1:7532", "REACHD_PORT_7532_TCP_ADDR": "10.0.0.1", "REACHD_QQQQ": "1",
        ]
        let loaded = try ConfigurationLoader(environment: environment)
            .load(bytes: Array("targets: [{host: '${REACHD_MINE}'}]".utf8), path: "f")
        #expect(
            loaded.warnings.map(\.description) == [
                "environment variable REACHD_LOGLEVEL: no key of the configuration has this variable; "
                    + "did you mean REACHD_LOG_LEVEL? [unknown_variable]",
                "environment variable REACHD_QQQQ: no key of the configuration has this variable [unknown_variable]",
            ]
        )
    }
}
