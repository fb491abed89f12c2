// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is wrong with one target as a whole.
struct TargetComplaints {
    let object: CheckedObject
    let index: Int
    private(set) var faults: [ConfigurationFault] = []

    init(object: CheckedObject, index: Int) {
        self.object = object
        self.index = index
    }

    /// - Parameter key: The key at fault, nil for the target.
    mutating func add(_ code: ConfigurationFault.Code, at key: String?, _ words: String, hint: String? = nil) {
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
    ///   - section: a mapping of the target.
    ///   - key: The key in it that is at fault.
    mutating func add(
        _ code: ConfigurationFault.Code,
        in section: String,
        at key: String,
        _ words: String,
        hint: String? = nil
    ) {
        let place = object.object(section)?.place(of: key) ?? object.place(of: section)
        faults.append(
            ConfigurationFault(code, at: place, pointer: "/targets/\(index)/\(section)/\(key)", words, hint: hint)
        )
    }

    /// Says of each key why it may not stand here.
    mutating func refuse(_ keys: [String], _ why: String) {
        for key in keys {
            add(.conflict, at: key, "\(key) may not stand here: \(why)", hint: "remove it")
        }
    }
}
