// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is wrong with one target as a whole.
package struct TargetComplaints {
    package let object: CheckedObject
    package let index: Int
    package private(set) var faults: [ConfigurationFault] = []

    package init(object: CheckedObject, index: Int) {
        self.object = object
        self.index = index
    }

    /// - Parameter key: The key at fault, nil for the target.
    package mutating func add(_ code: ConfigurationFault.Code, at key: String?, _ words: String, hint: String? = nil) {
        faults.append(
            ConfigurationFault(
                code,
                at: key.map(object.place(of:)) ?? object.place,
                pointer: "/targets/\(index)" + (key.map { "/\($0)" } ?? ""),
                words,
                hint: hint
            )
        )
    }

    /// - Parameters:
    ///   - sections: the mapping in the target, and those in it, that hold the key.
    ///   - key: The key that is at fault.
    package mutating func add(
        _ code: ConfigurationFault.Code,
        in sections: String...,
        at key: String,
        _ words: String,
        hint: String? = nil
    ) {
        let section = sections.reduce(object) { $0.object($1) ?? $0 }
        let pointer = (sections + [key]).joined(separator: "/")
        add(code, at: section.place(of: key), pointer: pointer, words, hint: hint)
    }

    /// - Parameter pointer: leads to the place from the target.
    package mutating func add(
        _ code: ConfigurationFault.Code,
        at place: ConfigurationFault.Place,
        pointer: String,
        _ words: String,
        hint: String? = nil
    ) {
        faults.append(
            ConfigurationFault(code, at: place, pointer: "/targets/\(index)/\(pointer)", words, hint: hint)
        )
    }

    /// Says of each key why it may not stand here.
    package mutating func refuse(_ keys: [String], _ why: String) {
        for key in keys {
            add(.conflict, at: key, "\(key) may not stand here: \(why)", hint: "remove it")
        }
    }
}
