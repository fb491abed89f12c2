// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import JSON
import Monitoring
import Schema

/// The key `watch`, which targets of a fleet have besides those of the configuration.
struct FleetWatch {
    let placement: Placement
    /// Whether a target that only some locations reach is `up`.
    let isPartialUp: Bool

    /// One location of any watches.
    static let standard = FleetWatch(placement: .single, isPartialUp: false)

    static let schema = ObjectSchema(
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

    /// A target of a fleet.
    static let target = ObjectSchema(
        ConfigurationSchema.target.name,
        fields: ConfigurationSchema.target.fields
            + [Field("watch", .object(schema), "Which locations watch this target.")]
    )

    /// Reads the key of each target.
    ///
    /// - Parameters:
    ///   - targets: the targets, with their places in `/targets`.
    ///   - general: what applies to targets without one; nil for the defaults.
    static func read(
        _ targets: [(index: Int, object: ValidatedMapping)],
        general: ValidatedMapping? = nil,
        _ reader: inout SchemaReader
    ) -> [FleetWatch] {
        let fallback = general.map { read($0, pointer: "/watch", &reader) } ?? .standard
        return targets.map { index, target in
            target.object("watch").map { read($0, pointer: "/targets/\(index)/watch", &reader) } ?? fallback
        }
    }

    private static func read(
        _ section: ValidatedMapping,
        pointer: String,
        _ reader: inout SchemaReader
    ) -> FleetWatch {
        FleetWatch(
            placement: placement(section, pointer: pointer, &reader) ?? .single,
            isPartialUp: section.text("partial") == "up"
        )
    }

    private static func placement(
        _ section: ValidatedMapping,
        pointer: String,
        _ reader: inout SchemaReader
    ) -> Placement? {
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
    init(_ settings: TargetSettings, _ watch: FleetWatch, node: YAMLNode) {
        self.init(
            id: settings.id,
            placement: watch.placement,
            text: String(decoding: node.json, as: UTF8.self),
            interval: settings.probe.map { max($0.verdict.interval, $0.verdict.longestDoubt) } ?? .seconds(10),
            isPartialUp: watch.isPartialUp,
            group: settings.group,
            tags: settings.tags.map { "\($0):\($1)" }.sorted(),
            parents: settings.dependsOn
        )
    }
}

extension YAMLNode {
    /// A target of a fleet as nodes read it: with its id, also when that is derived, without `watch`, and in JSON, where a bare word is
    /// a text.
    func declaration(id: String) -> YAMLNode {
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
