// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Numbers of bytes as people write them: `65536`, `64KiB`, `8MiB`, `1GiB`.
package enum ByteCountText {
    private static let units: [(name: String, shift: Int)] = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0), ("", 0)]

    package static func bytes(_ text: String) throws(Complaint) -> Int {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard !digits.isEmpty else { throw Complaint("is not a size", hint: "write for example 64MiB") }
        guard let shift = units.first(where: { $0.name == unit })?.shift else {
            let letter = unit.first?.uppercased() ?? ""
            let meant = units.first { $0.name.hasPrefix(letter) }.map { "write \(digits)\($0.name)" }
            throw Complaint("is not a size", hint: meant ?? "units are KiB, MiB and GiB")
        }
        guard let number = Int(digits) else { throw Complaint(.outOfRange, "is too large") }
        let product = number.multipliedReportingOverflow(by: 1 << shift)
        guard !product.overflow else { throw Complaint(.outOfRange, "is too large") }
        return product.partialValue
    }

    /// Writes a number with the largest unit that leaves no rest.
    package static func text(_ bytes: Int) -> String {
        for unit in units where unit.shift > 0 && bytes >= 1 << unit.shift && bytes % (1 << unit.shift) == 0 {
            return "\(bytes >> unit.shift)\(unit.name)"
        }
        return "\(bytes)"
    }
}
