// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The mappings of the configuration, each once, with all the places where it stands.
struct SchemaSections {
    /// A mapping and where it stands.
    struct Section {
        let schema: ObjectSchema
        /// Dotted keys, `[]` behind those of lists: `targets[].probe`. Empty for the file itself.
        var places: [String]
    }

    /// In the order of the file, depth first.
    private(set) var sections: [Section] = []
    private var indices: [String: Int] = [:]

    init(_ root: ObjectSchema) {
        collect(root, at: "")
    }

    private mutating func collect(_ schema: ObjectSchema, at place: String) {
        if let index = indices[schema.name] {
            sections[index].places.append(place)
        } else {
            indices[schema.name] = sections.count
            sections.append(Section(schema: schema, places: [place]))
        }
        for field in schema.fields {
            let key = place.isEmpty ? field.name : "\(place).\(field.name)"
            collect(field.type, at: key)
        }
    }

    private mutating func collect(_ type: FieldType, at place: String) {
        switch type {
        case .object(let schema): collect(schema, at: place)
        case .list(let element): collect(element, at: place + "[]")
        case .oneOrMore(let element): collect(element, at: place + "[]")
        case .textOrObject(_, let schema): collect(schema, at: place)
        default: break
        }
    }
}
