// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// A value that wins over the file's.
package struct ConfigurationOverride: Sendable, Hashable {
    /// The dotted key: `log.level`.
    package let key: String
    /// The value as text; several of a list are separated by commas.
    package let text: String
    /// Where it came from.
    package let place: ConfigurationFault.Place

    /// Declares a value from the command line.
    ///
    /// - Parameters:
    ///   - key: The dotted key, one of those that take a single value.
    ///   - text: The value.
    ///   - option: The option's name, for faults: `--log-level`.
    package init(_ key: String, _ text: String, option: String) {
        self.init(key: key, text: text, place: .option(option))
    }

    init(key: String, text: String, place: ConfigurationFault.Place) {
        self.key = key
        self.text = text
        self.place = place
    }

    func scalar(_ text: String) -> ScalarText {
        ScalarText(text: text, raw: text, isBare: true, place: place)
    }
}
