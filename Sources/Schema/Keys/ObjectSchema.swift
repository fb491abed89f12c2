// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The keys of one mapping.
package struct ObjectSchema: Sendable {
    /// What the mapping describes, with its article: `a target`.
    package let name: String
    /// The keys, in the order of the documentation.
    package let fields: [Field]
    /// Whether keys that begin with `x-` are passed over, as a home for anchors.
    package let allowsExtensions: Bool

    /// Declares a mapping.
    package init(_ name: String, allowsExtensions: Bool = false, fields: [Field]) {
        self.name = name
        self.fields = fields
        self.allowsExtensions = allowsExtensions
    }

    /// The key of a name.
    package func field(_ name: String) -> Field? {
        fields.first { $0.name == name }
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
