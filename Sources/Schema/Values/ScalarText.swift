// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A scalar as it stands, and as it is to be read.
package struct ScalarText {
    /// The text to read, with variables replaced.
    package let text: String
    /// The text as it was written: what a fault may show.
    package let raw: String
    /// Whether it may be a number or a boolean: it was not quoted, or came from a variable.
    package let isBare: Bool
    /// Where it came from.
    package let place: ConfigurationFault.Place

    /// Whether a variable had a part in it.
    package var isSubstituted: Bool { text != raw }

    /// Creates a scalar.
    package init(text: String, raw: String, isBare: Bool, place: ConfigurationFault.Place) {
        self.text = text
        self.raw = raw
        self.isBare = isBare
        self.place = place
    }
}
