// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Fleet
import JSON
import Monitoring
import NetworkPaths
package import Schema
import ServerTrust

extension RollupSetting: SettingValue {}

/// Reads the file of `reachd fleet apply`: the fleet's settings and targets, in YAML or JSON.
///
/// Targets have the form of the configuration's, and `watch` besides. They are read on every node, so that they name no
/// files and no variables.
package enum FleetDocumentReader {
    /// The schema of the file.
    package static let schema = ObjectSchema(
        "the fleet's file",
        allowsExtensions: true,
        fields: [
            Field(
                "source",
                .text(.identifier),
                example: "main",
                defaultValue: "main",
                synonyms: ["name"],
                "The name of this file's targets: targets of the fleet that this file no longer has are removed, those "
                    + "of other sources stay."
            ),
            Field(
                "version",
                .integer(1...9_007_199_254_740_991),
                example: "1",
                "The version of this file: a lower one than the applied one is refused, and so is the same one with other "
                    + "content. Default: none, and nothing is compared."
            ),
            Field("settings", .object(settings), "The settings that all nodes share."),
            Field(
                "watch",
                .object(FleetWatch.schema),
                "Which locations watch the targets, for those without a watch of their own."
            ),
            Field("targets", .list(.object(FleetWatch.target)), isRequired: true, "The targets."),
        ]
    )

    private static let settings = ObjectSchema("the fleet's settings", fields: settingKeys.fields(of: FleetSettings()))

    private static let settingKeys: [Setting<FleetSettings>] = [
        Setting(
            "lease",
            \.lease,
            .duration(milliseconds: 1_000...60_000),
            synonyms: ["ttl"],
            "How long a node counts as live without a renewal; the time that a takeover needs."
        ),
        Setting(
            "settle",
            \.settle,
            .duration(milliseconds: 0...3_600_000),
            "How long locations may disagree about a target before its state shows it."
        ),
        Setting(
            "unwatched_after",
            \.unwatchedAfter,
            .duration(milliseconds: 0...3_600_000),
            "How long the last votes on a target count after its last live node was lost."
        ),
        Setting(
            "keep",
            \.keep,
            .duration(milliseconds: 86_400_000...3_153_600_000_000),
            synonyms: ["max_age"],
            "How long events stay in the fleet's log, in whole days."
        ),
        Setting(
            "rollups",
            \.rollups,
            .choice([
                .init("off", synonyms: ["none"]), .init("days", synonyms: ["day"]), .init("hours", synonyms: ["hour"]),
            ]),
            "What nodes store of their probes, for the latencies of uptimes and timelines: a bucket for each day, target and "
                + "node; one for each hour besides; or nothing."
        ),
        Setting(
            "max_targets",
            \.maximumTargets,
            .integer(1...10_000_000),
            synonyms: ["targets"],
            "The maximum number of targets."
        ),
    ]

    /// Reads a file.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``ConfigurationDiagnostics`` with everything that is wrong.
    package static func read(file path: String) throws(ConfigurationDiagnostics) -> FleetDocument {
        try read(try BoundedFile.read(path, maximum: maximumSize), path: path)
    }

    /// The largest allowed file, in bytes: a million targets of 250 bytes.
    package static let maximumSize = 256 << 20

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - path: The file's name in diagnostics.
    static func read(_ bytes: [UInt8], path: String) throws(ConfigurationDiagnostics) -> FleetDocument {
        let root: YAMLNode?
        do throws(YAMLError) {
            root = path.hasSuffix(".json") ? try YAMLNode(json: bytes) : try YAMLReader.read(bytes)
        } catch {
            throw ConfigurationDiagnostics([ConfigurationDiagnostic(error, path: path)])
        }
        var reader = SchemaReader(path: path, environment: [:], overrides: [:], author: .client)
        let object = reader.read(root, as: schema)
        var assembler = TargetAssembler(nameEvaluation: .optimistic, origin: .fleet)
        let objects = object.objects("targets")
        let targets = assembler.assemble(objects, &reader)
        let watches = FleetWatch.read(objects, general: object.object("watch"), &reader)
        // Without a fault each element has its target, in order.
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        var settings: FleetSettings?
        if let section = object.object("settings"),
            Self.settings.fields.contains(where: { section.isWritten($0.name) })
        {
            var read = FleetSettings()
            settingKeys.read(section, into: &read)
            settings = read
        }
        let nodes = root?.elements(of: "targets") ?? []
        var declarations: [FleetDeclaration] = []
        for (index, target) in targets.enumerated() {
            let node = nodes[index].declaration(id: target.id)
            if (try? DeclarationReader.fleet.read([node.without("depends_on")], isBatch: false))?.first
                != target.independent
            {
                reader.report(
                    .invalidValue,
                    at: .file(path, node.position),
                    pointer: "/targets/\(index)",
                    "JSON cannot express a value of this target",
                    hint: "write its numbers as decimals and its times in quotes"
                )
            }
            declarations.append(FleetDeclaration(target, watches[index], node: node))
        }
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        return FleetDocument(
            source: object.text("source") ?? "main",
            version: object.integer("version").map { Int64($0) },
            digest: digest(settings, declarations),
            settings: settings,
            declarations: declarations
        )
    }

    /// The digest of what a document declares, whatever the order of its targets: SHA-256 in hexadecimal.
    private static func digest(_ settings: FleetSettings?, _ declarations: [FleetDeclaration]) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("settings", optional: settings?.text)
            writer.key("targets")
            writer.array(declarations.sorted { $0.id < $1.id }) { writer, declaration in
                writer.object { writer in
                    writer.member("declaration", declaration.text)
                    writer.watch(declaration.placement, isPartialUp: declaration.isPartialUp)
                }
            }
        }
        return (SHA256.digest(of: writer.take()) ?? []).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

extension TargetSettings {
    /// Without its dependencies, which are only checked in the whole document.
    fileprivate var independent: TargetSettings {
        var settings = self
        settings.dependsOn = []
        return settings
    }
}

extension YAMLNode {
    /// The elements of the sequence under a key.
    fileprivate func elements(of name: String) -> [YAMLNode] {
        guard case .mapping(let pairs) = content,
            case .sequence(let nodes)? = pairs.first(where: { $0.key.text == name })?.value.content
        else { return [] }
        return nodes
    }
}
