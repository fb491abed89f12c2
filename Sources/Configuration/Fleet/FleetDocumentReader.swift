// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Fleet
import JSON
import Monitoring
import NetworkPaths
package import Schema

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
            Field("settings", .object(settings), "The settings that all nodes share."),
            Field(
                "watch",
                .object(watch),
                "Which locations watch the targets, for those without a watch of their own."
            ),
            Field("targets", .list(.object(target)), isRequired: true, "The targets."),
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
    ]

    private static let watch = ObjectSchema(
        "watch",
        fields: [
            Field(
                "watchers",
                .integer(Placement.watchersRange),
                defaultValue: "1",
                synonyms: ["count"],
                "How many locations watch each target."
            ),
            Field(
                "quorum",
                .integer(Placement.watchersRange),
                example: "2",
                "How many locations must report a target down. Default: the majority of watchers."
            ),
            Field(
                "locations",
                .oneOrMore(.text(.identifier)),
                example: "[ berlin, paris, tokyo ]",
                synonyms: ["from"],
                "The locations that may watch. Default: all."
            ),
            Field(
                "partial",
                .choice([.init("degraded"), .init("up")]),
                defaultValue: "degraded",
                "The state of a target that only some locations reach."
            ),
        ]
    )

    private static let target = ObjectSchema(
        ConfigurationSchema.target.name,
        fields: ConfigurationSchema.target.fields
            + [Field("watch", .object(watch), "Which locations watch this target.")]
    )

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
        let general = object.object("watch")
        let fallback = placement(general, pointer: "/watch", &reader)
        var placements: [Placement] = []
        for (index, target) in objects {
            let own = target.object("watch")
            let chosen = own.map { placement($0, pointer: "/targets/\(index)/watch", &reader) } ?? fallback
            placements.append(chosen ?? fallback ?? .single)
        }
        // Without a fault each element has its target, in order.
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        var settings: FleetSettings?
        if let section = object.object("settings"),
            ["lease", "settle", "unwatched_after", "keep"].contains(where: section.isWritten)
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
            declarations.append(
                FleetDeclaration(
                    target,
                    placements[index],
                    isPartialUp: (objects[index].object.object("watch") ?? general)?.text("partial") == "up",
                    node: node
                )
            )
        }
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        return FleetDocument(source: object.text("source") ?? "main", settings: settings, declarations: declarations)
    }

    private static func placement(
        _ section: ValidatedMapping?,
        pointer: String,
        _ reader: inout SchemaReader
    ) -> Placement? {
        guard let section else { return .single }
        let locations = section.list("locations").compactMap { located -> String? in
            if case .text(let name) = located.value { name } else { nil }
        }
        do throws(PlacementError) {
            return try Placement(
                watchers: section.integer("watchers") ?? 1,
                quorum: section.integer("quorum"),
                locations: locations
            )
        } catch {
            let (key, words) =
                switch error {
                case .watchers: ("watchers", "the number of watchers is out of range")
                case .quorum: ("quorum", "quorum is greater than watchers")
                case .locations: ("locations", "fewer locations are named than must watch")
                }
            reader.report(.outOfRange, at: section.place(of: key), pointer: "\(pointer)/\(key)", words)
            return nil
        }
    }
}

extension FleetDeclaration {
    /// The declaration of a checked target.
    ///
    /// - Parameter node: the declaration as nodes read it.
    fileprivate init(_ settings: TargetSettings, _ placement: Placement, isPartialUp: Bool, node: YAMLNode) {
        self.init(
            id: settings.id,
            placement: placement,
            text: String(decoding: node.json, as: UTF8.self),
            interval: settings.probe?.verdict.interval ?? .seconds(10),
            isPartialUp: isPartialUp,
            group: settings.group,
            tags: settings.tags.map { "\($0):\($1)" }.sorted(),
            parents: settings.dependsOn
        )
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

    /// A target as nodes read it: with its id, also when that is derived, without `watch`, and in JSON, where a bare word is a text.
    fileprivate func declaration(id: String) -> YAMLNode {
        ((try? DeclarationReader.declaration(without("watch"), id: id)) ?? self).asJSON
    }

    private var asJSON: YAMLNode {
        switch content {
        case .scalar(let text, isPlain: true):
            guard !isNull else { return YAMLNode(.scalar("null", isPlain: true), position: position) }
            let isLiteral = (try? JSONValue(reading: Array(text.utf8))) != nil
            return YAMLNode(.scalar(text, isPlain: isLiteral), position: position)
        case .scalar: return self
        case .sequence(let nodes): return YAMLNode(.sequence(nodes.map(\.asJSON)), position: position)
        case .mapping(let pairs):
            return YAMLNode(.mapping(pairs.map { Pair(key: $0.key, value: $0.value.asJSON) }), position: position)
        }
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
