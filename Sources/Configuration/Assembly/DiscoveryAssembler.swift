// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Schema

/// Checks the `discovery` section.
struct DiscoveryAssembler {
    let nameEvaluation: PathRequest.NameEvaluation

    /// Checks the section, and returns the probe of the discovered targets.
    func probe(_ section: ValidatedMapping, _ files: [String], _ diagnostics: inout SchemaReader) -> ValidatedMapping? {
        if !section.has("files"), section.isWritten("refresh") || section.has("probe") {
            diagnostics.report(.missingKey, at: section.place, pointer: "/discovery", "discovery needs the key files")
        }
        for (index, file) in files.enumerated() {
            guard FilePattern.folder(of: file).contains(where: { "*?[".contains($0) }) else { continue }
            let located = section.list("files")
            diagnostics.report(
                .invalidValue,
                at: located.indices.contains(index) ? located[index].place : section.place(of: "files"),
                pointer: "/discovery/files" + (located.count > 1 ? "/\(index)" : ""),
                "\(file.quoted) has a wildcard before its last /"
            )
        }
        if let probe = section.object("probe") { check(probe, &diagnostics) }
        return section.object("probe")
    }

    /// Checks the probe with a sample target.
    private func check(_ probe: ValidatedMapping, _ diagnostics: inout SchemaReader) {
        if probe.has("url") {
            diagnostics.report(
                .conflict,
                at: probe.place(of: "url"),
                pointer: "/discovery/probe/url",
                "url is not allowed here: each target has its own",
                hint: "write it into the files, or use the labels __scheme__ and __metrics_path__"
            )
            return
        }
        var sample = ValidatedMapping(ConfigurationSchema.target, at: probe.place)
        sample.set("host", .host("discovered.invalid"), at: probe.place)
        sample.set("port", .integer(1), at: probe.place)
        sample.set("probe", .object(probe), at: probe.place)
        var trial = SchemaReader(path: "", environment: [:], overrides: [:])
        var assembler = TargetAssembler(nameEvaluation: nameEvaluation)
        _ = assembler.assemble([(index: 0, object: sample)], &trial)
        for diagnostic in trial.diagnostics.diagnostics where diagnostic.pointer.hasPrefix("/targets/0/probe") {
            diagnostics.report(
                diagnostic.code,
                at: diagnostic.place,
                pointer: "/discovery" + diagnostic.pointer.dropFirst("/targets/0".count),
                diagnostic.words,
                hint: diagnostic.hint
            )
        }
    }
}
