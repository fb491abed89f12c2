// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// A value whose own form was checked; whether it fits its neighbours was not.
package enum ValidatedValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int)
    case duration(Duration)
    /// Of a choice, a line, an id, an interface name, a path.
    case text(String)
    case host(String)
    case address(IPAddress, interface: String?)
    /// nil is `default`.
    case coverage(IPPrefix?)
    /// Since 1970.
    case time(milliseconds: Int64)
    /// A value of a form that a room above declares.
    case special(Special)
    case labels([String: String])
    case list([Located])
    case object(ValidatedMapping)
    /// Something stood there and was faulty; the fault was reported.
    case faulty

    /// A value of a type that is not known here.
    package struct Special: Hashable, Sendable {
        package let value: any Hashable & Sendable

        package static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }

        package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    /// A value with the place it came from.
    package struct Located: Hashable, Sendable {
        package let value: ValidatedValue
        package let place: ConfigurationDiagnostic.Place

        package init(value: ValidatedValue, place: ConfigurationDiagnostic.Place) {
            self.value = value
            self.place = place
        }

        // A value is the same wherever it stands.

        package static func == (left: Self, right: Self) -> Bool { left.value == right.value }

        package func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    /// A value of a form that a room above declares.
    package static func special(_ value: some Hashable & Sendable) -> Self { .special(Special(value: value)) }

    /// The value of a form that the caller declared; nil when it is another.
    package func special<Value>(as type: Value.Type = Value.self) -> Value? {
        if case .special(let special) = self { special.value as? Value } else { nil }
    }

    /// Whether something stood there and was faulty.
    package var isFaulty: Bool { if case .faulty = self { true } else { false } }
}

/// A scalar as it stands, and as it is to be read.
package struct ScalarText {
    /// The text to read, with variables replaced.
    package let text: String
    /// The text as it was written: what a fault may show.
    package let raw: String
    /// Whether it may be a number or a boolean: it was not quoted, or came from a variable.
    package let isBare: Bool
    /// Where it came from.
    package let place: ConfigurationDiagnostic.Place

    /// Whether a variable had a part in it.
    package var isSubstituted: Bool { text != raw }

    /// Creates a scalar.
    package init(text: String, raw: String, isBare: Bool, place: ConfigurationDiagnostic.Place) {
        self.text = text
        self.raw = raw
        self.isBare = isBare
        self.place = place
    }
}
