// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import Schema

/// A kind of sources of targets: its key in `discovery`, and the reader of its settings.
///
/// To add a kind, add it to ``all``, and a file beside this one that declares it.
struct DiscoveryKind: Sendable {
    /// Every kind, in the order of the documentation. Of several sources with one target, the first counts: in this order,
    /// and in that of the file for sources of one kind.
    static let all: [DiscoveryKind] = [.http, .dns, .kubernetes, .containers]

    /// The kind's name, which is the key of its list.
    let name: String
    /// The key.
    let field: Field
    /// Whether others than the operator write what it finds, so that `access.targets` restricts its targets.
    let isRestricted: Bool
    private let reading: @Sendable (inout MappingDiagnostics) -> (any DiscoverySourceSettings)?

    /// Declares a kind.
    ///
    /// - Parameters:
    ///   - title: the mapping of one source in words: `an HTTP source`.
    ///   - fields: the keys of one source, without those that all kinds have.
    ///   - example: a source, as YAML on one line.
    ///   - isRestricted: whether others than the operator write what it finds.
    ///   - reading: reads the settings; nil when the declaration is invalid, which then has the diagnostics.
    init(
        _ name: String,
        title: String,
        fields: [Field],
        example: String,
        synonyms: [String] = [],
        isRestricted: Bool = false,
        _ summary: String,
        reading: @escaping @Sendable (inout MappingDiagnostics) -> (any DiscoverySourceSettings)?
    ) {
        self.name = name
        self.isRestricted = isRestricted
        self.reading = reading
        field = Field(
            name,
            .list(.object(ObjectSchema(title, fields: fields + Self.commonFields))),
            example: "[ \(example) ]",
            synonyms: synonyms,
            summary
        )
    }

    /// Reads the settings of one source.
    func read(_ declaration: inout MappingDiagnostics) -> (any DiscoverySourceSettings)? { reading(&declaration) }

    /// The keys that all kinds have.
    private static let commonFields: [Field] = [
        Field(
            "name",
            .text(.identifier),
            example: "inventory",
            synonyms: ["id", "job_name"],
            "The source's name in states, metrics and logs; unique among all sources. Default: the kind, and a number if there "
                + "are several."
        ),
        Field(
            "group",
            .text(.line),
            example: "shop",
            "The group of its targets, unless they declare their own."
        ),
        Field(
            "tags",
            .labels,
            example: "{ site: berlin }",
            synonyms: ["labels"],
            "Tags of its targets, besides those that they declare themselves."
        ),
        Field(
            "probe",
            .object(ConfigurationSchema.probe),
            example: "{ type: tcp, interval: 1m }",
            synonyms: ["check", "defaults"],
            "The probe of its targets, unless they declare their own. Default: discovery.probe."
        ),
    ]
}
