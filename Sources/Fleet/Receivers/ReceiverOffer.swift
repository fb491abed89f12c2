// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A receiver of notifications that a node can serve: its name, which is its identity in the fleet, and a digest of its definition.
package struct ReceiverOffer: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The digest: two nodes with different ones have different definitions.
    package let digest: String

    /// Creates an offer.
    package init(name: String, digest: String) {
        self.name = StorableText.text(name)
        self.digest = digest
    }

    /// The form in `nodes.receivers`.
    var stored: String { "\(digest) \(name)" }

    /// Reads a node's column; elements that make no sense are left out.
    ///
    /// - Returns: digests by name.
    static func read(_ elements: [String?]) -> [String: String] {
        var offers: [String: String] = [:]
        for case let element? in elements.prefix(maximumCount) {
            let parts = element.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty, element.utf8.count <= maximumLength else { continue }
            offers[String(parts[1])] = String(parts[0])
        }
        return offers
    }

    private static let maximumCount = 1_000
    private static let maximumLength = 1_000
}

/// A receiver that the coordinator assigned to a node.
package struct ReceiverGrant: Sendable, Hashable {
    /// The receiver's name.
    package let name: String
    /// The token under which the node may store the receiver's offset.
    package let token: Int64

    /// Creates a grant.
    package init(name: String, token: Int64) {
        self.name = name
        self.token = token
    }

    /// Reads an element of a renewal's answer; nil for one that makes no sense.
    init?(stored: String) {
        let parts = stored.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let token = Int64(parts[0]), !parts[1].isEmpty else { return nil }
        self.init(name: String(parts[1]), token: token)
    }
}
