// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// Where the targets of the HTTP interface are kept over a restart (`state_file`).
package enum StateFileSetting: Sendable, Hashable {
    /// In the service's state directory: the key is absent.
    case standard
    /// Nowhere: they last until the service ends.
    case none
    /// In this file.
    case file(String)

    /// The word for ``none``.
    static let noneWord = "none"
}

extension StateFileSetting: SettingValue {
    package init?(checked value: CheckedValue) {
        guard let text = String(checked: value) else { return nil }
        self = text == Self.noneWord ? .none : .file(text)
    }

    package func written(as type: FieldType) -> String? { nil }
}
