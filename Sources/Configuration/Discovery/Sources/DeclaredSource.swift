// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Discovery
import Schema

/// A source of targets that the configuration declares.
package struct DeclaredSource: Sendable {
    /// The name of its kind.
    package let kind: String
    /// Its name, unique among all sources.
    package let name: String
    /// The settings of the source itself.
    package let settings: any DiscoverySourceSettings
    /// What its targets have unless they declare it themselves.
    let defaults: TargetDefaults
    /// Whether `access.targets` restricts its targets.
    var isRestricted = false

    /// What targets of a source have unless they declare it themselves.
    struct TargetDefaults: Sendable, Hashable {
        var probe: ValidatedMapping?
        var group: String?
        var tags: [String: String] = [:]
    }

    /// The name of the files, which are a source of their own.
    package static let files = "files"
}

extension DeclaredSource: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.name == right.name && left.defaults == right.defaults
            && left.isSame(as: right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(AnyHashable(settings))
    }

    /// Whether another declaration is of the same source, which need not start again.
    package func isSame(as other: DeclaredSource) -> Bool {
        AnyHashable(settings) == AnyHashable(other.settings)
    }
}
