// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Schema

/// Checks the `discovery` section.
struct DiscoveryAssembler {
    let nameEvaluation: PathRequest.NameEvaluation

    /// Checks the section, and returns the probe of the discovered targets.
    func probe(_ section: ValidatedMapping, _ files: [String], _ diagnostics: inout SchemaReader) -> ValidatedMapping? {
        let sources = ["files"] + DiscoveryKind.all.map(\.name)
        if !sources.contains(where: section.has), section.isWritten("refresh") || section.has("probe") {
            diagnostics.report(
                .missingKey,
                at: section.place,
                pointer: "/discovery",
                "discovery needs a source",
                hint: "write \(sources.formatted(last: "or"))"
            )
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
        if let probe = section.object("probe") { check(probe, "/discovery/probe", &diagnostics) }
        return section.object("probe")
    }

    /// Checks the other sources, and returns them.
    func sources(_ section: ValidatedMapping, _ diagnostics: inout SchemaReader) -> [DeclaredSource] {
        var sources: [DeclaredSource] = []
        var names: Set<String> = [DeclaredSource.files]
        // Names that are written count before those that are made.
        for kind in DiscoveryKind.all {
            for (index, object) in section.objects(kind.name) {
                guard let name = object.text("name"), !names.insert(name).inserted else { continue }
                diagnostics.report(
                    .duplicateValue,
                    at: object.place(of: "name"),
                    pointer: "/discovery/\(kind.name)/\(index)/name",
                    "\(name.quoted) is the name of another source"
                )
            }
        }
        for kind in DiscoveryKind.all {
            for (index, object) in section.objects(kind.name) {
                let pointer = "/discovery/\(kind.name)/\(index)"
                var declaration = MappingDiagnostics(object: object, at: pointer)
                let settings = kind.read(&declaration)
                for fault in declaration.diagnostics {
                    diagnostics.report(
                        fault.code,
                        at: fault.place,
                        pointer: fault.pointer,
                        fault.words,
                        hint: fault.hint
                    )
                }
                if let probe = object.object("probe") { check(probe, "\(pointer)/probe", &diagnostics) }
                guard let settings else { continue }
                sources.append(
                    DeclaredSource(
                        kind: kind.name,
                        name: object.text("name") ?? Self.name(of: kind, &names),
                        settings: settings,
                        defaults: DeclaredSource.TargetDefaults(
                            probe: object.object("probe") ?? section.object("probe"),
                            group: object.text("group"),
                            tags: object.labels("tags")
                        ),
                        isRestricted: kind.isRestricted
                    )
                )
            }
        }
        return sources
    }

    /// The name of a source without its own: the kind, or `http-2`.
    private static func name(of kind: DiscoveryKind, _ names: inout Set<String>) -> String {
        var name = kind.name
        var number = 1
        while !names.insert(name).inserted {
            number += 1
            name = "\(kind.name)-\(number)"
        }
        return name
    }

    /// Checks the probe with a sample target.
    private func check(_ probe: ValidatedMapping, _ pointer: String, _ diagnostics: inout SchemaReader) {
        if probe.has("url") {
            diagnostics.report(
                .conflict,
                at: probe.place(of: "url"),
                pointer: "\(pointer)/url",
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
                pointer: pointer + diagnostic.pointer.dropFirst("/targets/0/probe".count),
                diagnostic.words,
                hint: diagnostic.hint
            )
        }
    }
}
