// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What colours mean here.
enum TerminalColor: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case bold = "1"
    case faint = "2"
}
