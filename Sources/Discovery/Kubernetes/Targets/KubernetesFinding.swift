// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What follows from a monitored object.
struct KubernetesFinding: Sendable, Hashable {
    /// A target.
    struct Target: Sendable, Hashable {
        var id: String
        var name: String
        /// A host, `host:port`, or a URL.
        var address: String
        /// The kind of probe.
        var probe: String
    }

    /// The targets, each id once.
    var targets: [Target] = []
    /// The tags of all targets.
    var tags: [String: String] = [:]
    /// The group of all targets.
    var group = ""
    /// The YAML text of the annotation `reachd.io/probe`.
    var probe: String?
    /// Whether that text may not lead to other hosts.
    var isConfined = true
    /// What was left out, in words that name the object.
    var notes: [String] = []

    /// The bytes of the texts, about.
    var size: Int {
        targets.reduce(into: 512 + (probe?.utf8.count ?? 0)) { $0 += 200 + $1.address.utf8.count + $1.name.utf8.count }
            + notes.reduce(0) { $0 + $1.utf8.count }
            + tags.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
