// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Monitoring

/// What `/targets` would show of declarations, so that they can be compared with it.
package enum DeclarationListing {
    /// An object with the members that only the declaration decides, in the words of `/targets`.
    package static func document(_ settings: TargetSettings) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.declaration(settings, fields: .all) }
        return writer.bytes
    }

    /// The members of a target that only its declaration decides; what `fields` takes.
    package static let fields: [String] = TargetField.allCases.prefix { $0 != .status }.map(\.rawValue)
}
