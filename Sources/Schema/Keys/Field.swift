// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One key of the configuration: everything that a reader, a hint, the documentation or a JSON Schema needs to know.
package struct Field: Sendable {
    /// The key.
    package let name: String
    /// What may stand there.
    package let type: FieldType
    /// The value when the key is absent, as it would be written; nil when absence has a meaning of its own.
    package let standard: String?
    /// Whether the key must be there.
    package let isRequired: Bool
    /// What it is for, one sentence or two.
    package let summary: String
    /// Names that other programs have for it, for hints.
    package let synonyms: [String]
    /// A value as YAML has it on one line, where that of the type would be a riddle.
    package let ownExample: String?

    /// Whether it is a section that means something else when it is not there than when it is empty.
    package var isOptionalSection: Bool {
        guard case .object(let schema) = type else { return false }
        return schema.fields.contains(where: \.isRequired)
    }

    /// Declares a key.
    package init(
        _ name: String,
        _ type: FieldType,
        example: String? = nil,
        standard: String? = nil,
        isRequired: Bool = false,
        synonyms: [String] = [],
        _ summary: String
    ) {
        self.name = name
        self.type = type
        self.standard = standard
        self.isRequired = isRequired
        self.synonyms = synonyms
        self.summary = summary
        ownExample = example
    }
}
