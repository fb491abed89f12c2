// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What came of an import.
public struct ImportReport: Sendable, Hashable {
    /// What is wrong with a line.
    public struct Fault: Sendable, Hashable {
        /// Its number, counted from one.
        public let line: Int
        /// In words.
        public let message: String
    }

    /// Faults that are kept in words.
    static let faultLimit = 20

    /// Records that changed the file.
    public internal(set) var taken = 0
    /// Records that say nothing that was not there.
    public internal(set) var known = 0
    /// Events with the number of another one that is there; they were left out.
    public internal(set) var conflicting = 0
    /// Lines that were left out because they are wrong.
    public internal(set) var faulty = 0
    /// The first of the wrong lines.
    public internal(set) var faults: [Fault] = []
    /// Where an unusable file is now that was in the place.
    public internal(set) var setAside: String?

    mutating func fault(_ line: Int, _ message: String) {
        faulty += 1
        if faults.count < Self.faultLimit { faults.append(Fault(line: line, message: message)) }
    }
}
