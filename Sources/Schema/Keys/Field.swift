// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One key of the configuration: everything that a reader, a hint, the documentation or a JSON Schema needs.
package struct Field: Sendable {
    /// The key.
    package let name: String
    /// The type of its value.
    package let type: FieldType
    /// The value when the key is absent, as it would be written; nil when absence has its own meaning.
    package let defaultValue: String?
    /// Whether the key is required.
    package let isRequired: Bool
    /// What the key does, in one sentence or two.
    package let summary: String
    /// Names in other programs, for hints.
    package let synonyms: [String]
    /// An example as YAML on one line, if the type's is not clear enough.
    package let ownExample: String?
    /// The variants of the mapping that have the key (``ObjectSchema/Variants``); empty for all.
    package private(set) var variants: Set<String> = []

    /// Whether it is a section whose absence means something else than an empty one.
    package var isOptionalSection: Bool {
        guard case .object(let schema) = type else { return false }
        return schema.fields.contains(where: \.isRequired)
    }

    /// Whether a variant of the mapping has the key; an unknown variant has all keys.
    package func isOf(_ variant: String?) -> Bool { variants.isEmpty || variant.map(variants.contains) ?? true }

    /// The same key, for some variants only.
    package func only(in variants: some Sequence<String>) -> Field {
        var field = self
        field.variants.formUnion(variants)
        return field
    }

    /// Adds the keys of a variant to those of others.
    package static func add(_ fields: [Field], of variant: String, to all: inout [Field]) {
        for field in fields {
            let same = all.firstIndex { $0.name == field.name && $0.summary == field.summary && !$0.variants.isEmpty }
            if let same { all[same].variants.insert(variant) } else { all.append(field.only(in: [variant])) }
        }
    }

    /// Declares a key.
    package init(
        _ name: String,
        _ type: FieldType,
        example: String? = nil,
        defaultValue: String? = nil,
        isRequired: Bool = false,
        synonyms: [String] = [],
        _ summary: String
    ) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.isRequired = isRequired
        self.synonyms = synonyms
        self.summary = summary
        ownExample = example
    }
}
