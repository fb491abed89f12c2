// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Schema

/// How far the clocks of a time zone are ahead of UTC, and when that changes: a file of the system's zoneinfo (RFC 9636).
package struct TimeZoneRules: Sendable, Hashable {
    /// The name, such as `Europe/Berlin`.
    package let name: String
    /// When the offset becomes another, in seconds since 1970, ascending.
    private let transitions: [Int64]
    /// The offset from each transition on, in seconds.
    private let offsets: [Int64]
    /// The offset before the first transition.
    private let firstOffset: Int64
    /// What holds after the last transition; nil when that is the last offset for ever.
    private let rule: YearlyRule?

    /// Reads the file of a zone.
    ///
    /// - Parameters:
    ///   - name: such as `Europe/Berlin`; nothing else is looked for than a file below the folder.
    ///   - folder: where the system has its zones.
    /// - Returns: nil for an unknown zone.
    package init?(_ name: String, in folder: String = "/usr/share/zoneinfo") {
        guard Self.isName(name), let bytes = try? FileContents.read("\(folder)/\(name)", limit: 1 << 20) else {
            return nil
        }
        self.init(name: name, bytes: bytes)
    }

    /// Reads the contents of such a file; nil when they are not.
    init?(name: String, bytes: [UInt8]) {
        guard let first = Header(bytes[...]) else { return nil }
        // Behind the block for 32 bits comes one for 64 and a rule, unless the file is of the first version.
        let isLong = bytes[4] >= UInt8(ascii: "2")
        let start = isLong ? first.size(of: 4) : 0
        guard let header = isLong ? Header(bytes.dropFirst(start)) : first else { return nil }
        let width = isLong ? 8 : 4
        let end = start + header.size(of: width)
        guard end <= bytes.count, header.typeCount > 0 else { return nil }
        let times = start + Header.length
        let indices = times + header.timeCount * width
        let types = indices + header.timeCount
        let all = (0..<header.typeCount).map { Self.number(bytes, at: types + 6 * $0, count: 4) }
        guard all.allSatisfy({ abs($0) < 26 * 3_600 }) else { return nil }
        self.name = name
        transitions = (0..<header.timeCount).map { Self.number(bytes, at: times + width * $0, count: width) }
        var offsets: [Int64] = []
        for index in 0..<header.timeCount {
            guard Int(bytes[indices + index]) < all.count else { return nil }
            offsets.append(all[Int(bytes[indices + index])])
        }
        guard zip(transitions, transitions.dropFirst()).allSatisfy(<) else { return nil }
        self.offsets = offsets
        firstOffset = all[0]
        let footer = isLong ? bytes[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") } : []
        guard !footer.isEmpty else {
            rule = nil
            return
        }
        guard let read = YearlyRule(String(decoding: footer, as: UTF8.self)) else { return nil }
        rule = read
    }

    /// How many seconds the zone's clocks are ahead of UTC.
    ///
    /// - Parameter time: seconds since 1970.
    package func offset(at time: Int64) -> Int64 {
        guard let last = transitions.last else { return rule?.offset(at: time) ?? firstOffset }
        if time >= last { return rule?.offset(at: time) ?? offsets[offsets.count - 1] }
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? firstOffset : offsets[low - 1]
    }

    /// When the zone's clocks show a time: the first of two such moments, and where they skip the time the one that is as far behind
    /// the skip as the time is behind its beginning.
    ///
    /// - Parameter local: the seconds since 1970 that the clocks would show if they were UTC's.
    /// - Returns: seconds since 1970.
    package func moment(local: Int64) -> Int64 {
        // A day before and after, no change of this day is in force yet, or is in force no more.
        let (before, after) = (offset(at: local - 86_400), offset(at: local + 86_400))
        let early = local - before
        return offset(at: early) == before ? early : offset(at: local - after) == after ? local - after : early
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 128
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                part.first?.isLetter == true
                    && part.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                            || "_+-".utf8.contains(byte)
                    }
            }
    }

    /// A number, the most significant byte first.
    private static func number(_ bytes: [UInt8], at start: Int, count: Int) -> Int64 {
        let bits = bytes[start..<(start + count)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return count == 8 ? Int64(bitPattern: bits) : Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    /// The beginning of a block: how much of what follows.
    private struct Header {
        static let length = 44
        let timeCount, typeCount: Int
        private let rest: (leaps: Int, letters: Int, standards: Int, universals: Int)

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= Self.length, bytes.starts(with: "TZif".utf8) else { return nil }
            let counts = (0..<6).map { index in
                bytes.dropFirst(20 + 4 * index).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            }
            guard counts.allSatisfy({ $0 <= 1 << 16 }) else { return nil }
            (timeCount, typeCount) = (counts[3], counts[4])
            rest = (leaps: counts[2], letters: counts[5], standards: counts[1], universals: counts[0])
        }

        /// The bytes of the block with times of so many bytes.
        func size(of width: Int) -> Int {
            Self.length + timeCount * (width + 1) + typeCount * 6 + rest.letters + rest.leaps * (width + 4)
                + rest.standards
                + rest.universals
        }
    }
}

extension TextForm {
    /// The name of a time zone.
    package static let timeZone = TextForm(
        .init(
            words: "a time zone such as Europe/Berlin",
            bounds: "a time zone of the system's zoneinfo, such as `Europe/Berlin`",
            expression: "[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z][A-Za-z0-9_+-]*)*",
            example: "Europe/Berlin",
            counterexample: "+01:00"
        ),
        limit: 128
    ) { text throws(Diagnostic) in
        guard let rules = TimeZoneRules(text) else {
            throw Diagnostic(
                "is not a time zone of this system",
                hint: "write for example Europe/Berlin, and install the package tzdata if it is missing"
            )
        }
        return .special(rules)
    }
}
