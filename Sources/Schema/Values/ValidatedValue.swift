// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// A value whose own form was checked, but not its relation to other values.
package enum ValidatedValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int)
    case duration(Duration)
    /// Of a choice, a line, an id, an interface name, a path.
    case text(String)
    /// A host name in ASCII, and as it was written.
    case host(String, written: String)
    case address(IPAddress, interface: String?)
    /// nil is `default`.
    case coverage(IPPrefix?)
    /// Since 1970.
    case time(milliseconds: Int64)
    /// A value of a form that another module declares.
    case special(Special)
    case labels([String: String])
    case list([Located])
    case object(ValidatedMapping)
    /// A faulty value, already reported.
    case faulty

    /// A value of a type that is unknown in this module.
    package struct Special: Hashable, Sendable {
        package let value: any Hashable & Sendable

        package static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }

        package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    /// A value with its position.
    package struct Located: Hashable, Sendable {
        package let value: ValidatedValue
        package let place: ConfigurationDiagnostic.Place

        package init(value: ValidatedValue, place: ConfigurationDiagnostic.Place) {
            self.value = value
            self.place = place
        }

        // Values are equal regardless of their position.

        package static func == (left: Self, right: Self) -> Bool { left.value == right.value }

        package func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    /// A host name in ASCII.
    package static func host(_ name: String) -> Self { .host(name, written: name) }

    /// A value of a form that another module declares.
    package static func special(_ value: some Hashable & Sendable) -> Self { .special(Special(value: value)) }

    /// The value of a form that the caller declared; nil for another form.
    package func special<Value>(as type: Value.Type = Value.self) -> Value? {
        if case .special(let special) = self { special.value as? Value } else { nil }
    }

    /// Whether the value was faulty.
    package var isFaulty: Bool { if case .faulty = self { true } else { false } }
}

/// A scalar, as written and as read.
package struct ScalarText {
    /// The text to read, with variables replaced.
    package let text: String
    /// The text as written, which a diagnostic may show.
    package let raw: String
    /// Whether it may be a number or a boolean: it was not quoted, or came from a variable.
    package let isBare: Bool
    /// Its position.
    package let place: ConfigurationDiagnostic.Place

    /// Whether a variable was replaced in it.
    package var isSubstituted: Bool { text != raw }

    /// Creates a scalar.
    package init(text: String, raw: String, isBare: Bool, place: ConfigurationDiagnostic.Place) {
        self.text = text
        self.raw = raw
        self.isBare = isBare
        self.place = place
    }
}
