// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One element of ``KeyValueChanges``.
public enum ObservationEvent<Value: Sendable>: Sendable {
    /// A notification, as a handler would have got it.
    case changed(Change<Value>)
    /// The reader was too slow: this many notifications, older than the next element, were dropped.
    case lagged(missed: Int)

    /// The change; nil for ``lagged(missed:)``.
    public var change: Change<Value>? {
        if case .changed(let change) = self { change } else { nil }
    }
}

extension ObservationEvent: Equatable where Value: Equatable {}
