// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Logging
import Monitoring

/// One line of the log.
struct LogEntry {
    let level: Logger.Level
    let label: String
    let message: String
    let fields: [(name: String, value: String)]

    /// `time level message key=value`; values that hold blanks or quotes are quoted.
    func text(at moment: Timestamp) -> String {
        var line = "\(moment) \(level.rawValue) \(message.escaped(quotes: false))"
        for field in fields {
            let isPlain =
                !field.value.isEmpty
                && field.value.unicodeScalars.allSatisfy {
                    $0 > " " && $0 != "\"" && $0 != "=" && $0 != "\\" && DisplayText.isPrintable($0)
                }
            line += " \(field.name)="
            line += isPlain ? field.value : "\"\(field.value.escaped(quotes: true))\""
        }
        return line
    }

    /// One JSON object.
    func json(at moment: Timestamp) -> String {
        var line =
            "{\"time\":\"\(moment)\",\"level\":\"\(level.rawValue)\",\"logger\":\"\(label.escaped(quotes: true))\""
        line += ",\"message\":\"\(message.escaped(quotes: true))\""
        for field in fields {
            line += ",\"\(field.name.escaped(quotes: true))\":\"\(field.value.escaped(quotes: true))\""
        }
        return line + "}"
    }
}

extension String {
    /// Without control characters, which would break a line in two or reach a terminal; JSON's escapes.
    fileprivate func escaped(quotes: Bool) -> String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"" where quotes: text += "\\\""
            case "\\" where quotes: text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where DisplayText.isPrintable(scalar): text.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return text
    }
}
