// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// What a node reported of a target's other certificate: the members of its own `certificate` event, for the fleet's.
struct CertificateEntry: Sendable, Hashable {
    /// The longest data of a report, in bytes: two certificates with the names that an event has of them.
    static let dataLimit = 65_536

    /// The members that the fleet's event takes over, in their order.
    private static let names: [StaticString] = ["changed", "names_added", "names_removed", "old", "new"]

    /// The values of ``names``, in JSON.
    private let values: [[UInt8]]

    /// - Parameter data: the data of the node's event.
    /// - Returns: nil when they are not such an event's.
    init?(_ data: String) {
        // An event is a line.
        guard data.utf8.allSatisfy({ $0 >= 0x20 }), let members = try? JSONReader.members(of: Array(data.utf8))
        else { return nil }
        var values: [[UInt8]] = []
        for name in Self.names {
            guard let value = members["\(name)"] else { return nil }
            values.append(Array(value))
        }
        self.values = values
    }

    /// Writes the members into an object.
    func write(to writer: inout JSONWriter) {
        for (name, value) in zip(Self.names, values) {
            writer.key(name)
            writer.value(rendered: value)
        }
    }
}
