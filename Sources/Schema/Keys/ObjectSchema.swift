// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The keys of one mapping.
package struct ObjectSchema: Sendable {
    /// Kinds of the mapping that differ in their keys (``Field/variants``).
    package struct Variants: Sendable {
        /// The key whose word is the variant; nil when the mapping around it has that key.
        package let key: String?
        /// The words, in the order of the documentation.
        package let words: [String]
        /// What some of them together are called, for faults: `types that have a port`.
        package let groups: [(name: String, words: Set<String>)]

        /// Declares variants.
        package init(key: String?, words: [String], groups: [(name: String, words: Set<String>)] = []) {
            self.key = key
            self.words = words
            self.groups = groups
        }

        /// What some of them are called.
        package func name(of some: Set<String>) -> String {
            groups.first { $0.words == some }?.name ?? some.sorted().formatted(last: "or")
        }
    }

    /// What the mapping describes, with its article: `a target`.
    package let name: String
    /// The keys of all variants, in the order of the documentation.
    package let fields: [Field]
    /// Whether keys that begin with `x-` are passed over, as a home for anchors.
    package let allowsExtensions: Bool
    /// Its kinds; nil when there is only one.
    package let variants: Variants?
    /// Sets of keys of which one has to be there as a whole; none when each key is judged by itself.
    package let alternatives: [[String]]

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
    }

    /// The key of a name, of any variant.
    package func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// The key of a name; nil when the variant has none.
    ///
    /// - Parameter variant: nil for one that is not known, which has the keys of all.
    package func field(_ name: String, of variant: String?) -> Field? {
        fields.first { $0.name == name && $0.isOf(variant) }
    }

    /// The keys of a variant.
    package func fields(of variant: String?) -> [Field] { fields.filter { $0.isOf(variant) } }

    /// The variants that have a key of a name, in words.
    package func owners(of name: String) -> String {
        words(for: fields.filter { $0.name == name }.reduce(into: Set()) { $0.formUnion($1.variants) })
    }

    /// The variants that have a key, in words.
    package func owners(of field: Field) -> String { words(for: field.variants) }

    private func words(for some: Set<String>) -> String {
        variants?.name(of: some) ?? some.sorted().formatted(last: "or")
    }

    /// What to say of a key that is not known.
    package func hint(for key: String) -> String? {
        let lowered = key.lowercased()
        if let field = fields.first(where: { $0.synonyms.contains(lowered) }) {
            return "did you mean \(field.name)?"
        }
        return NearestName.of(key, among: fields.lazy.map(\.name)).map { "did you mean \($0)?" }
    }
}
