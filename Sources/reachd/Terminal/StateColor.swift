// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The colours of states, by their names in the HTTP interface.
enum StateColor {
    static func of(_ state: String) -> TerminalColor? {
        switch state {
        case "up", "reachable", "ok": .green
        case "degraded", "warn": .yellow
        case "down", "fail": .red
        case "unreachable", "not_reachable": .magenta
        case "maintenance": .blue
        case "unknown", "paused": .faint
        default: nil
        }
    }
}
