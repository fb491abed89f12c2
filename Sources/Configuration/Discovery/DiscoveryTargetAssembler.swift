// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema

/// Makes targets from discovery files, by the rules of the configuration.
struct DiscoveryTargetAssembler {
    let probe: ValidatedMapping?
    let nameEvaluation: PathRequest.NameEvaluation
    private var notes: [String] = []
    private var objects: [(index: Int, object: ValidatedMapping)] = []
    private var reader: SchemaReader

    /// The targets of a file.
    ///
    /// - Parameter probe: their probe.
    /// - Throws: everything that is wrong with them.
    static func targets(
        of groups: [DiscoveredGroup],
        path: String,
        probe: ValidatedMapping?,
        nameEvaluation: PathRequest.NameEvaluation
    ) throws(ConfigurationDiagnostics) -> DiscoveredTargets {
        let reader = SchemaReader(path: path, environment: [:], overrides: [:], author: .client)
        var assembler = Self(probe: probe, nameEvaluation: nameEvaluation, reader: reader)
        for (index, group) in groups.enumerated() { assembler.take(group, "/\(index)") }
        return try assembler.finish(path)
    }

    private init(probe: ValidatedMapping?, nameEvaluation: PathRequest.NameEvaluation, reader: SchemaReader) {
        self.probe = probe
        self.nameEvaluation = nameEvaluation
        self.reader = reader
    }

    private mutating func finish(_ path: String) throws(ConfigurationDiagnostics) -> DiscoveredTargets {
        var targets = TargetAssembler(nameEvaluation: nameEvaluation, origin: .discovery, source: DeclaredSource.files)
        var unique: [(index: Int, object: ValidatedMapping)] = []
        var ids: Set<String> = []
        for entry in objects {
            // Several groups may name the same address for different purposes; reachd monitors it once.
            if ids.insert(entry.object.text("id") ?? "").inserted { unique.append(entry) }
        }
        if unique.count < objects.count { note("\(objects.count - unique.count) targets occur more than once") }
        let settings = targets.assemble(unique, &reader)
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        return DiscoveredTargets(targets: settings, notes: notes)
    }

    private mutating func note(_ words: String) {
        if !notes.contains(words), notes.count < 100 { notes.append(words) }
    }

    // MARK: Groups

    private mutating func take(_ group: DiscoveredGroup, _ pointer: String) {
        var labels = DiscoveredLabels()
        for (name, value) in group.labels {
            do throws(Diagnostic) {
                try labels.take(name, value.text)
            } catch {
                report(error, value, "\(pointer)/labels/\(name)")
            }
        }
        for name in labels.withoutEffect { note("the label \(name) has no effect") }
        if labels.tags.count > DiscoveredLabels.maximum {
            reader.report(
                .outOfRange,
                at: group.labels[0].value.place,
                pointer: "\(pointer)/labels",
                "there are \(labels.tags.count) labels, more than \(DiscoveredLabels.maximum)"
            )
        }
        for (index, target) in group.targets.enumerated() {
            do throws(Diagnostic) {
                let object = try DiscoveredTarget(address: target.text, probe: probe).object(labels, at: target.place)
                objects.append((objects.count, object))
            } catch {
                report(error, target, "\(pointer)/targets/\(index)")
            }
        }
    }

    private mutating func report(_ diagnostic: Diagnostic, _ text: DiscoveredGroup.Text, _ pointer: String) {
        reader.report(
            diagnostic.code,
            at: text.place,
            pointer: pointer,
            "\(text.text.quoted) \(diagnostic.words)",
            hint: diagnostic.hint
        )
    }
}
