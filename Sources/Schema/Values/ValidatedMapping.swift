// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A mapping whose keys and values were checked one by one, with defaults filled in.
package struct ValidatedMapping: Sendable {
    /// The keys of the mapping.
    package let schema: ObjectSchema
    /// Its position.
    package let place: ConfigurationDiagnostic.Place
    /// The variant of the mapping; nil if there are none, or it is unknown.
    package var variant: String?
    /// Whether it has unknown keys.
    package var hasStrangers = false
    // Two lists and no tuples: a search that copies each value takes most of the time of a large file.
    private var names: [String] = []
    private var values: [ValidatedValue.Located] = []

    package init(_ schema: ObjectSchema, at place: ConfigurationDiagnostic.Place) {
        self.schema = schema
        self.place = place
    }

    package mutating func set(_ name: String, _ value: ValidatedValue, at place: ConfigurationDiagnostic.Place) {
        let located = ValidatedValue.Located(value: value, place: place)
        if let index = names.firstIndex(of: name) {
            values[index] = located
        } else {
            names.append(name)
            values.append(located)
        }
    }

    package subscript(name: String) -> ValidatedValue.Located? {
        assert(schema.field(name) != nil, "\(schema.name) has no field \(name)")
        return names.firstIndex(of: name).map { values[$0] }
    }

    /// Whether the key has a value, valid or faulty, or a default.
    package func has(_ name: String) -> Bool {
        names.contains(name)
    }

    /// Whether the key has a written value and not a default.
    package func isWritten(_ name: String) -> Bool {
        guard let located = self[name] else { return false }
        return located.place != place
    }

    /// Whether a value was faulty or a key unknown.
    package var hasFaults: Bool {
        hasStrangers || values.contains { $0.value.isFaulty }
    }

    /// Whether the key has a faulty value.
    package func isFaulty(_ name: String) -> Bool { self[name]?.value.isFaulty == true }

    /// The position of a key's value; the mapping's if the key is absent.
    package func place(of name: String) -> ConfigurationDiagnostic.Place {
        self[name]?.place ?? place
    }

    package func boolean(_ name: String) -> Bool? {
        guard case .boolean(let value) = self[name]?.value else { return nil }
        return value
    }

    package func integer(_ name: String) -> Int? {
        guard case .integer(let value) = self[name]?.value else { return nil }
        return value
    }

    package func duration(_ name: String) -> Duration? {
        guard case .duration(let value) = self[name]?.value else { return nil }
        return value
    }

    package func text(_ name: String) -> String? {
        guard case .text(let value) = self[name]?.value else { return nil }
        return value
    }

    package func labels(_ name: String) -> [String: String] {
        guard case .labels(let value) = self[name]?.value else { return [:] }
        return value
    }

    /// A section of the file; its keys have their defaults even if the section is absent.
    package func object(_ name: String) -> ValidatedMapping? {
        guard case .object(let value) = self[name]?.value else { return nil }
        return value
    }

    package func list(_ name: String) -> [ValidatedValue.Located] {
        guard case .list(let value) = self[name]?.value else { return [] }
        return value
    }

    /// The values of a list, or a single value.
    package func values(_ name: String) -> [ValidatedValue] {
        guard let value = self[name]?.value else { return [] }
        if case .list(let values) = value { return values.map(\.value) }
        return [value]
    }

    /// The texts of a list, or a single text.
    package func texts(_ name: String) -> [String] {
        values(name).compactMap { value in
            if case .text(let text) = value { text } else { nil }
        }
    }

    /// The value of a form that the caller declared.
    package func special<Value>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        self[name]?.value.special()
    }

    /// The values of a list of a form that the caller declared, or a single value.
    package func specials<Value>(_ name: String, as type: Value.Type = Value.self) -> [Value] {
        values(name).compactMap { $0.special() }
    }

    /// The mappings of a list, with their indices.
    package func objects(_ name: String) -> [(index: Int, object: ValidatedMapping)] {
        list(name).enumerated().compactMap { index, located in
            guard case .object(let object) = located.value else { return nil }
            return (index, object)
        }
    }
}

extension ValidatedMapping: Hashable {
    // Values are equal regardless of their position and order.

    package static func == (left: Self, right: Self) -> Bool { left.byName == right.byName }

    package func hash(into hasher: inout Hasher) { hasher.combine(byName) }

    private var byName: [String: ValidatedValue] {
        Dictionary(zip(names, values.map(\.value))) { first, _ in first }
    }
}
