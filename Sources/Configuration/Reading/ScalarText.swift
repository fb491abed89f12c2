// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A scalar as it stands, and as it is to be read.
struct ScalarText {
    /// The text to read, with variables replaced.
    let text: String
    /// The text as it was written: what a fault may show.
    let raw: String
    /// Whether it may be a number or a boolean: it was not quoted, or came from a variable.
    let isBare: Bool
    /// Where it came from.
    let place: ConfigurationFault.Place

    /// Whether a variable had a part in it.
    var isSubstituted: Bool { text != raw }
}
