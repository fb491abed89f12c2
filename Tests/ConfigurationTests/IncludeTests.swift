// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Schema
import TestSupport
import Testing

@testable import Configuration

/// A configuration of many files: the key `include`.
struct IncludeTests {
    private let folder: TemporaryFolder
    private var main: String { folder.path(of: "reachd.yaml") }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ files: [String: String]) throws {
        for (name, text) in files { try folder.write(text, to: name) }
    }

    private func load(environment: [String: String] = [:]) throws(ConfigurationDiagnostics) -> LoadedConfiguration {
        try ConfigurationLoader(environment: environment).load(file: main)
    }

    private func faults(environment: [String: String] = [:]) -> [String] {
        do throws(ConfigurationDiagnostics) {
            _ = try load(environment: environment)
            return []
        } catch {
            let prefix = folder.path + "/"
            return error.diagnostics.map { $0.description.split(separator: prefix).joined() }
        }
    }

    @Test("Lists are joined in the order of the files' names, and sections are merged key by key")
    func merging() throws {
        try write([
            "reachd.yaml": """
            include: ["*.part", more.yaml]
            log: {level: debug}
            targets: [{id: a, address: 192.0.2.1}]
            """,
            "20.part": "targets: [{id: c, address: 192.0.2.3}]\nnotify: [{name: x, webhook: {url: http://192.0.2.9/}}]",
            "10.part": "targets: [{id: b, address: 192.0.2.2}]\nlog: {format: json}",
            "more.yaml": "targets: [{id: d, host: example.org}]\nlog:\n",
            "empty.part": "# nothing",
            "other.txt": "targets: broken",
        ])
        let loaded = try load()
        #expect(loaded.configuration.targets.map(\.id) == ["a", "b", "c", "d"])
        #expect(loaded.configuration.log == LogSettings(level: "debug", format: .json))
        #expect(loaded.configuration.receivers.count == 1)
        let files = ["10.part", "20.part", "empty.part", "more.yaml"].map(folder.path(of:))
        #expect(loaded.files.included() == files)
        #expect(loaded.files.watched() == Set(files + [main, folder.path]))
    }

    @Test("A fault has the place in its own file; those of the main file come first, then by file and line")
    func places() throws {
        try write([
            "reachd.yaml": "include: [\"*.part\"]\nlog: {level: debug}\nmark: x",
            "b.part": "\nlog:\n  level: info\ntargets: [{id: t, address: 192.0.2.1}]",
            "a.part": "targets:\n- {id: t, adress: 192.0.2.1}\n- {id: t, address: 192.0.2.1}",
        ])
        let texts = faults()
        #expect(texts.count == 6)
        #expect(texts.first?.hasPrefix("reachd.yaml:3:7: 'x' is not a whole number") == true)
        #expect(texts.contains { $0.hasPrefix("a.part:2:11: 'adress' is not a key of a target") })
        #expect(texts.contains("b.part:3:3: 'level' occurs twice, first in reachd.yaml:2 [duplicate_key]"))
        #expect(texts.contains("a.part:3:8: another target has the id 't', on line 2 [duplicate_id]"))
        #expect(texts.last == "b.part:4:16: another target has the id 't', in a.part:2 [duplicate_id]")
    }

    @Test("A missing file is a fault, a pattern without matches is none; the main file does not include itself")
    func missing() throws {
        try write(["reachd.yaml": "include: [none/*.yaml, \"*.yaml\", gone.part]"])
        #expect(faults().count == 1)
        #expect(faults().first?.hasPrefix("gone.part: cannot be read: ") == true)
        try write(["reachd.yaml": "include: [none/*.yaml, \"*.yaml\"]\ntargets: [{id: a, address: 192.0.2.1}]"])
        #expect(try load().configuration.targets.count == 1)
        #expect(try load().files.included() == [])
    }

    @Test("An included file includes no others, is a mapping, and its YAML faults have its name")
    func contents() throws {
        try write(["reachd.yaml": "include: part.part", "part.part": "include: other.part"])
        #expect(
            faults() == ["part.part:1:1: an included file cannot include others; name them in the main file [conflict]"]
        )
        try write(["part.part": "- id: a"])
        #expect(faults().first?.hasPrefix("part.part:1:1: an included file must be a mapping of keys; ") == true)
        try write(["part.part": "targets: ["])
        #expect(faults().first?.hasPrefix("part.part:1:") == true && faults().first?.hasSuffix("[syntax]") == true)
    }

    @Test(
        "A pattern that is not usable is a fault",
        arguments: ["'*/a.yaml'", "conf.d/", "{a: b}", "''"]
    )
    func patterns(_ value: String) throws {
        try write(["reachd.yaml": "include: \(value)"])
        #expect(faults().count == 1)
        #expect(faults().first?.hasPrefix("reachd.yaml:1:10: ") == true)
    }

    @Test("The environment names files too, and variables are replaced in the key")
    func environment() throws {
        try write(["reachd.yaml": "include: ${PART}.part", "a.part": "mark: 1", "b.part": "mark: 2"])
        #expect(try load(environment: ["PART": "a"]).configuration.paths.mark == 1)
        #expect(try load(environment: ["PART": "a", "REACHD_INCLUDE": "b.part"]).configuration.paths.mark == 2)
        #expect(faults().first?.hasSuffix("[unset_variable]") == true)
    }

    @Test("More files than the limit are refused before one is read")
    func bound() throws {
        let names = (0...ConfigurationFiles.maximum).map { "f\($0).part" }
        try write(["reachd.yaml": "include: [\(names.joined(separator: ", "))]"])
        #expect(faults() == ["reachd.yaml: includes 1001 files, more than 1000 [too_large]"])
    }

    @Test("The fingerprint of what was read is that of the files, until one changes, comes or goes")
    func fingerprint() throws {
        try write(["reachd.yaml": "include: \"*.part\"", "a.part": "mark: 1"])
        let loaded = try load()
        #expect(loaded.files.fingerprint() == loaded.fingerprint)
        try write(["a.part": "mark: 2"])
        let changed = loaded.files.fingerprint()
        #expect(changed != loaded.fingerprint)
        try write(["b.part": ""])
        #expect(loaded.files.fingerprint() != changed)
        try write(["a.part": "mark: 1"])
        #expect(loaded.files.fingerprint() != loaded.fingerprint)
    }

    @Test("A node is no larger for the number of its file")
    func size() {
        #expect(MemoryLayout<YAMLNode>.stride == 40)
    }
}
