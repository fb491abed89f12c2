// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A type of properties that a key sets: converts a checked value, and formats a default.
package protocol SettingValue: Equatable, Sendable, SendableMetatype {
    /// Converts the value of a key; nil if it is of another type, or faulty.
    init?(checked value: ValidatedValue)

    /// The value as written in the file, for the documentation; nil for an absent key.
    func written(as type: FieldType) -> String?
}

extension Bool: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard case .boolean(let value) = value else { return nil }
        self = value
    }

    package func written(as type: FieldType) -> String? { "\(self)" }
}

extension SettingValue where Self: FixedWidthInteger {
    package init?(checked value: ValidatedValue) {
        guard case .integer(let value) = value else { return nil }
        self.init(exactly: value)
    }

    package func written(as type: FieldType) -> String? {
        if case .byteCount = type { ByteCountText.text(Int(clamping: self)) } else { "\(self)" }
    }
}

extension Int: SettingValue {}
extension UInt8: SettingValue {}
extension UInt16: SettingValue {}
extension UInt32: SettingValue {}
extension UInt64: SettingValue {}

extension Duration: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard case .duration(let value) = value else { return nil }
        self = value
    }

    package func written(as type: FieldType) -> String? {
        let (seconds, attoseconds) = components
        return DurationText.text(milliseconds: Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}

extension String: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard case .text(let value) = value else { return nil }
        self = value
    }

    package func written(as type: FieldType) -> String? { isEmpty ? nil : self }
}

/// A choice: the words are the raw values.
extension SettingValue where Self: RawRepresentable<String> {
    package init?(checked value: ValidatedValue) {
        guard case .text(let word) = value else { return nil }
        self.init(rawValue: word)
    }

    package func written(as type: FieldType) -> String? { rawValue }
}

/// Absence is nil.
extension Optional: SettingValue where Wrapped: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard let wrapped = Wrapped(checked: value) else { return nil }
        self = .some(wrapped)
    }

    package func written(as type: FieldType) -> String? { self?.written(as: type) }
}

/// A list, or a single value.
extension Array: SettingValue where Element: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard case .list(let values) = value else {
            guard let element = Element(checked: value) else { return nil }
            self = [element]
            return
        }
        self = values.compactMap { Element(checked: $0.value) }
    }

    package func written(as type: FieldType) -> String? { nil }
}

extension Set: SettingValue where Element: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard let elements = [Element](checked: value) else { return nil }
        self = Set(elements)
    }

    package func written(as type: FieldType) -> String? { nil }
}

/// Labels.
extension [String: String]: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard case .labels(let labels) = value else { return nil }
        self = labels
    }

    package func written(as type: FieldType) -> String? { nil }
}
