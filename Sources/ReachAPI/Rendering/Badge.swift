// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// A badge with a label on the left and a status on the right; a self-contained SVG.
struct Badge {
    let label: String
    let message: String
    /// Six hexadecimal digits.
    let color: String

    /// The state of a target.
    init(label: String, state: TargetState) {
        self.label = label
        message = state.rawValue
        color =
            switch state {
            case .up: Self.green
            case .degraded: Self.amber
            case .down: Self.red
            case .unknown, .unreachable: Self.grey
            case .paused, .maintenance: Self.blue
            }
    }

    /// The uptime of a target; nil if unknown.
    init(label: String, uptime: Double?) {
        self.label = label
        guard let uptime else {
            (message, color) = ("no data", Self.grey)
            return
        }
        // Rounded down: 100 % only without any failure.
        let hundredths = Int(min(max(uptime, 0), 1) * 10_000)
        let fraction = hundredths % 100
        message = hundredths == 10_000 ? "100%" : "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)%"
        color =
            switch uptime {
            case 0.999...: Self.green
            case 0.99..<0.999: Self.lime
            case 0.95..<0.99: Self.amber
            default: Self.red
            }
    }

    // White text on each has a contrast of 4.5 or more.
    private static let green = "2e7d32"
    private static let lime = "5a7500"
    private static let amber = "a15c00"
    private static let red = "c62828"
    private static let grey = "616161"
    private static let blue = "1565c0"

    /// The image.
    var svg: [UInt8] {
        let label = Self.plain(label)
        let (left, right) = (Self.width(label), Self.width(message))
        let width = left + right
        let (name, value) = (Markup.escape(label), Markup.escape(message))
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="20" role="img" \
            aria-label="\(name): \(value)"><title>\(name): \(value)</title>\
            <clipPath id="r"><rect width="\(width)" height="20" rx="3"/></clipPath><g clip-path="url(#r)">\
            <rect width="\(left)" height="20" fill="#424242"/>\
            <rect x="\(left)" width="\(right)" height="20" fill="#\(color)"/></g>\
            <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\
            <text x="\(left / 2)" y="14" textLength="\(left - 10)">\(name)</text>\
            <text x="\(left + right / 2)" y="14" textLength="\(right - 10)">\(value)</text></g></svg>
            """
        return Array(text.utf8)
    }

    /// One line without marks of text direction, cut to the longest badge.
    private static func plain(_ text: String) -> String { DisplayText.line(text, limit: BadgeQuery.longestLabel) }

    /// About the width of 11-pixel Verdana; the text is stretched to fit.
    private static func width(_ text: String) -> Int {
        let tenths = text.unicodeScalars.reduce(0) { sum, scalar in
            switch scalar {
            case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", " ": sum + 42
            case "m", "w", "M", "W", "%", "@": sum + 107
            case "A"..."Z": sum + 80
            case "\u{0}"..."\u{2ff}": sum + 68
            default: sum + 110
            }
        }
        return tenths / 10 + 10
    }
}
