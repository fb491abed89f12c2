// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What came of an import.
package struct ImportReport: Sendable, Hashable {
    /// What is wrong with a line.
    package struct Fault: Sendable, Hashable {
        /// Its number, counted from one.
        package let line: Int
        /// In words.
        package let message: String
    }

    /// Faults that are kept in words.
    static let faultLimit = 20

    /// Records that changed the file.
    package internal(set) var taken = 0
    /// Records that say nothing that was not there.
    package internal(set) var known = 0
    /// Events with the number of another one that is there; they were left out.
    package internal(set) var conflicting = 0
    /// Lines that were left out because they are wrong.
    package internal(set) var faulty = 0
    /// The first of the wrong lines.
    package internal(set) var faults: [Fault] = []
    /// Where an unusable file is now that was in the place.
    package internal(set) var setAside: String?

    mutating func fault(_ line: Int, _ message: String) {
        faulty += 1
        if faults.count < Self.faultLimit { faults.append(Fault(line: line, message: message)) }
    }
}
