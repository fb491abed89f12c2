// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The general categories of Unicode, by the names that `\p{…}` takes.
enum PatternCategory {
    /// The categories of a name, such as `Lu`, or `L` for all that begin with it; nil for another name.
    private static func categories(_ name: String) -> Set<Unicode.GeneralCategory>? {
        let found = names.filter { $0.key.hasPrefix(name) }.map(\.value)
        return (1...2).contains(name.utf8.count) && !found.isEmpty ? Set(found) : nil
    }

    /// Unassigned characters (`Cn`) have no name in RE2.
    private static let names: [String: Unicode.GeneralCategory] = [
        "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter, "Lm": .modifierLetter,
        "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark, "Me": .enclosingMark, "Nd": .decimalNumber,
        "Nl": .letterNumber, "No": .otherNumber, "Pc": .connectorPunctuation, "Pd": .dashPunctuation,
        "Ps": .openPunctuation, "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
        "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol, "So": .otherSymbol,
        "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator, "Cc": .control, "Cf": .format,
        "Cs": .surrogate, "Co": .privateUse,
    ]

    /// The runs of characters of one category, in their order. Made once, when a pattern needs it.
    private static let runs: [(range: ClosedRange<UInt32>, category: Unicode.GeneralCategory)] = {
        var runs: [(range: ClosedRange<UInt32>, category: Unicode.GeneralCategory)] = []
        for value in 0...PatternBytes.last {
            guard let category = Unicode.Scalar(value)?.properties.generalCategory else { continue }
            if let run = runs.last, run.category == category, run.range.upperBound + 1 == value {
                runs[runs.count - 1].range = run.range.lowerBound...value
            } else {
                runs.append((value...value, category))
            }
        }
        return runs
    }()

    /// The characters of a category; nil for an unknown name.
    static func ranges(_ name: String) -> [ClosedRange<UInt32>]? {
        if name == "Any" { return [0...0xD7FF, 0xE000...PatternBytes.last] }
        return categories(name).map { wanted in runs.filter { wanted.contains($0.category) }.map(\.range) }
    }
}
