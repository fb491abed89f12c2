// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The keys of one mapping.
package struct ObjectSchema: Sendable {
    /// Variants of the mapping that differ in their keys (``Field/variants``).
    package struct Variants: Sendable {
        /// The key whose value is the variant; nil when the enclosing mapping has that key.
        package let key: String?
        /// The words, in the order of the documentation.
        package let words: [String]
        /// Names of groups of variants, for diagnostics: `types with a port`.
        package let groups: [(name: String, words: Set<String>)]

        /// Declares variants.
        package init(key: String?, words: [String], groups: [(name: String, words: Set<String>)] = []) {
            self.key = key
            self.words = words
            self.groups = groups
        }

        /// The name of a group of variants.
        package func name(of some: Set<String>) -> String {
            groups.first { $0.words == some }?.name ?? some.sorted().formatted(last: "or")
        }
    }

    /// The name of the mapping, with its article: `a target`.
    package let name: String
    /// The keys of all variants, in the order of the documentation.
    package let fields: [Field]
    /// Whether keys that begin with `x-` are ignored, as a home for anchors.
    package let allowsExtensions: Bool
    /// Its variants; nil without any.
    package let variants: Variants?
    /// Sets of keys of which one must be complete; empty when each key is checked by itself.
    package let alternatives: [[String]]
    /// The keys of each variant that has keys of its own.
    private let ownFields: [String: [Field]]
    /// The keys that all variants have.
    private let commonFields: [Field]

    /// Declares a mapping.
    package init(
        _ name: String,
        allowsExtensions: Bool = false,
        variants: Variants? = nil,
        alternatives: [[String]] = [],
        fields: [Field]
    ) {
        self.name = name
        self.fields = fields
        self.allowsExtensions = allowsExtensions
        self.variants = variants
        self.alternatives = alternatives
        // A large list asks for each of its elements.
        commonFields = fields.filter(\.variants.isEmpty)
        let owners = Set(fields.flatMap(\.variants))
        ownFields = Dictionary(
            uniqueKeysWithValues: owners.map { variant in (variant, fields.filter { $0.isOf(variant) }) }
        )
    }

    /// The key with a name, of any variant.
    package func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// The key with a name; nil if the variant does not have it.
    ///
    /// - Parameter variant: nil if unknown, which has all keys.
    package func field(_ name: String, of variant: String?) -> Field? {
        fields(of: variant).first { $0.name == name }
    }

    /// The keys of a variant.
    ///
    /// - Parameter variant: nil if unknown, which has all keys.
    package func fields(of variant: String?) -> [Field] {
        guard let variant else { return fields }
        return ownFields[variant] ?? commonFields
    }

    /// The variants that have a key with a name, in words.
    package func owners(of name: String) -> String {
        words(for: fields.filter { $0.name == name }.reduce(into: Set()) { $0.formUnion($1.variants) })
    }

    /// The variants that have a key, in words.
    package func owners(of field: Field) -> String { words(for: field.variants) }

    private func words(for some: Set<String>) -> String {
        variants?.name(of: some) ?? some.sorted().formatted(last: "or")
    }

    /// The hint for an unknown key.
    package func hint(for key: String) -> String? {
        let lowered = key.lowercased()
        if let field = fields.first(where: { $0.synonyms.contains(lowered) }) {
            return "did you mean \(field.name)?"
        }
        return NearestName.of(key, among: fields.lazy.map(\.name)).map { "did you mean \($0)?" }
    }
}
