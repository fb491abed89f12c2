// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing

/// A mapping whose keys and values were checked one by one, with defaults filled in.
struct CheckedObject: Sendable {
    /// The keys that it may have.
    let schema: ObjectSchema
    /// Where it stands.
    let place: ConfigurationFault.Place
    /// Whether keys stood there that it may not have.
    var hasStrangers = false
    private(set) var values: [(name: String, located: CheckedValue.Located)] = []

    init(_ schema: ObjectSchema, at place: ConfigurationFault.Place) {
        self.schema = schema
        self.place = place
    }

    mutating func set(_ name: String, _ value: CheckedValue, at place: ConfigurationFault.Place) {
        let located = CheckedValue.Located(value: value, place: place)
        if let index = values.firstIndex(where: { $0.name == name }) {
            values[index].located = located
        } else {
            values.append((name, located))
        }
    }

    subscript(name: String) -> CheckedValue.Located? {
        assert(schema.field(name) != nil, "\(schema.name) has no field \(name)")
        return values.first { $0.name == name }?.located
    }

    /// Whether something stood there, faulty or not, or a default was filled in.
    func has(_ name: String) -> Bool {
        self[name] != nil
    }

    /// Whether something stood there, and not a default was filled in.
    func isWritten(_ name: String) -> Bool {
        guard let located = self[name] else { return false }
        return located.place != place
    }

    /// Whether something that stood there was faulty, or was no key at all.
    var hasFaults: Bool {
        hasStrangers
            || values.contains { _, located in
                if case .faulty = located.value { true } else { false }
            }
    }

    /// Where the value of a key came from; where the mapping stands when the key is absent.
    func place(of name: String) -> ConfigurationFault.Place {
        self[name]?.place ?? place
    }

    func boolean(_ name: String) -> Bool? {
        guard case .boolean(let value) = self[name]?.value else { return nil }
        return value
    }

    func integer(_ name: String) -> Int? {
        guard case .integer(let value) = self[name]?.value else { return nil }
        return value
    }

    func duration(_ name: String) -> Duration? {
        guard case .duration(let value) = self[name]?.value else { return nil }
        return value
    }

    func text(_ name: String) -> String? {
        guard case .text(let value) = self[name]?.value else { return nil }
        return value
    }

    func labels(_ name: String) -> [String: String] {
        guard case .labels(let value) = self[name]?.value else { return [:] }
        return value
    }

    /// A section of the file; its keys have their defaults even when the section is absent.
    func object(_ name: String) -> CheckedObject? {
        guard case .object(let value) = self[name]?.value else { return nil }
        return value
    }

    func list(_ name: String) -> [CheckedValue.Located] {
        guard case .list(let value) = self[name]?.value else { return [] }
        return value
    }

    /// The values of a list, or the one that stands there.
    func values(_ name: String) -> [CheckedValue] {
        guard let value = self[name]?.value else { return [] }
        if case .list(let values) = value { return values.map(\.value) }
        return [value]
    }

    /// The texts of a list, or the one that stands there.
    func texts(_ name: String) -> [String] {
        values(name).compactMap { value in
            if case .text(let text) = value { text } else { nil }
        }
    }

    /// The regular expressions of a list.
    func patterns(_ name: String) -> [ProbePattern] {
        values(name).compactMap { value in
            if case .pattern(let pattern) = value { pattern } else { nil }
        }
    }

    /// The mappings of a list, with their places in it.
    func objects(_ name: String) -> [(index: Int, object: CheckedObject)] {
        list(name).enumerated().compactMap { index, located in
            guard case .object(let object) = located.value else { return nil }
            return (index, object)
        }
    }
}
