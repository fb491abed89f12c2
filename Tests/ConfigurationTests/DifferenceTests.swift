// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Configuration

@Suite struct DifferenceTests {
    @Test("targets are compared by id, order and comments do not matter")
    func targets() throws {
        let old = try load("targets: [{host: a}, {host: b, port: 1}, {host: c}]")
        let new = try load("targets: [{host: d}, {host: c}, {host: b, port: 2}] # moved")
        let difference = ConfigurationDifference(from: old, to: new)
        #expect(difference.added.map(\.id) == ["d"])
        #expect(difference.removed == ["a"])
        #expect(difference.updated.map(\.id) == ["b"])
        #expect(difference.settings.isEmpty)
        #expect(!difference.isEmpty)
        #expect(ConfigurationDifference(from: old, to: old).isEmpty)
    }

    @Test("settings are named, with those that need a restart")
    func settings() throws {
        let new = try load(
            "listen: 127.0.0.1:1\nlog: {level: debug}\nmark: 1\ninterfaces: [{match: a, type: wifi}]\nlimits: {body_size: 1}"
        )
        let difference = ConfigurationDifference(from: .standard, to: new)
        #expect(difference.settings.map(\.key) == ["listen", "log.level", "interfaces", "mark", "limits.body_size"])
        #expect(difference.needsRestart.map(\.key) == ["listen", "limits.body_size"])
    }

    @Test("the default judgement of names shows in the targets that it changes")
    func judgement() throws {
        let targets = "\ntargets: [{host: a}, {host: b, names: optimistic}, {kind: default}]"
        let difference = ConfigurationDifference(
            from: try load("network: {names: optimistic}" + targets),
            to: try load("network: {names: pessimistic}" + targets)
        )
        #expect(difference.updated.map(\.id).contains("a"))
        #expect(!difference.updated.map(\.id).contains("b"))
        #expect(difference.settings.map(\.key) == ["network.names"])
    }

    @Test("a configuration that shares parts with an older one equals one that does not")
    func sharing() throws {
        let old = try load("targets: [{host: a}, {host: b, port: 1}, {host: c}]\nmark: 1")
        let new = try load("targets: [{host: d}, {host: c}, {host: b, port: 2}]\nmark: 2")
        #expect(new.sharing(with: old) == new)
    }
}
