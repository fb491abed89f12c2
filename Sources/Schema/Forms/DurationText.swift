// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Durations as text: `500ms`, `30s`, `1h30m`, `2d`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Reads whole numbers with units, the largest unit first, each at most once.
    ///
    /// - Returns: Milliseconds.
    package static func milliseconds(_ text: String) throws(Diagnostic) -> Int {
        let words = "is not a duration"
        if Int(text) != nil {
            throw Diagnostic(
                .missingUnit,
                "has no unit",
                hint: "write \(text)s for seconds, \(text)ms for milliseconds"
            )
        }
        var rest = Array(text.utf8)[...]
        var total = 0
        var smallest = -1
        while !rest.isEmpty {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { !(0x30...0x39).contains($0) }
            rest = rest.dropFirst(unit.count)
            let name = String(decoding: unit, as: UTF8.self)
            guard !digits.isEmpty, let index = units.firstIndex(where: { $0.name == name }) else {
                let hint =
                    name.contains(".")
                    ? "write whole numbers: 1500ms, 1h30m" : "units are d, h, m, s and ms: 1h30m, 500ms"
                throw Diagnostic(words, hint: hint)
            }
            guard index > smallest else { throw Diagnostic(words, hint: "the larger unit comes first: 1h30m") }
            smallest = index
            let number = Int(String(decoding: digits, as: UTF8.self))
            let product = number?.multipliedReportingOverflow(by: units[index].milliseconds)
            guard let product, !product.overflow else { throw Diagnostic(.outOfRange, "is too long") }
            let sum = total.addingReportingOverflow(product.partialValue)
            guard !sum.overflow else { throw Diagnostic(.outOfRange, "is too long") }
            total = sum.partialValue
        }
        guard smallest >= 0 else { throw Diagnostic(words, hint: "write for example 30s") }
        return total
    }

    /// Formats milliseconds with the units that are not zero.
    package static func text(milliseconds: Int) -> String {
        var rest = milliseconds
        var text = ""
        for unit in units where rest >= unit.milliseconds {
            text += "\(rest / unit.milliseconds)\(unit.name)"
            rest %= unit.milliseconds
        }
        return text.isEmpty ? "0s" : text
    }
}

/// Numbers of bytes as text: `65536`, `64KiB`, `8MiB`, `1GiB`.
package enum ByteCountText {
    private static let units: [(name: String, shift: Int)] = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0), ("", 0)]

    package static func bytes(_ text: String) throws(Diagnostic) -> Int {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard !digits.isEmpty else { throw Diagnostic("is not a size", hint: "write for example 64MiB") }
        guard let shift = units.first(where: { $0.name == unit })?.shift else {
            let letter = unit.first?.uppercased() ?? ""
            let meant = units.first { $0.name.hasPrefix(letter) }.map { "write \(digits)\($0.name)" }
            throw Diagnostic("is not a size", hint: meant ?? "units are KiB, MiB and GiB")
        }
        guard let number = Int(digits) else { throw Diagnostic(.outOfRange, "is too large") }
        let product = number.multipliedReportingOverflow(by: 1 << shift)
        guard !product.overflow else { throw Diagnostic(.outOfRange, "is too large") }
        return product.partialValue
    }

    /// Formats a number with the largest unit that divides it.
    package static func text(_ bytes: Int) -> String {
        for unit in units where unit.shift > 0 && bytes >= 1 << unit.shift && bytes % (1 << unit.shift) == 0 {
            return "\(bytes >> unit.shift)\(unit.name)"
        }
        return "\(bytes)"
    }
}
