// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Numbers as bars of one row, each against the largest.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")
    private static let plain = Array("_.:-=+*#")

    /// - Parameters:
    ///   - values: oldest first; nil for a failure.
    ///   - columns: how many of the newest are shown.
    ///   - isUnicode: whether the terminal shows block elements.
    static func text(_ values: [Double?], columns: Int, isUnicode: Bool) -> String {
        let shown = values.suffix(max(columns, 0))
        let signs = isUnicode ? bars : plain
        let most = shown.compactMap(\.self).max() ?? 0
        return String(
            shown.map { value -> Character in
                guard let value else { return isUnicode ? "×" : "x" }
                guard most > 0, value > 0 else { return signs[0] }
                return signs[min(signs.count - 1, Int(value / most * Double(signs.count - 1) + 0.5))]
            }
        )
    }
}
