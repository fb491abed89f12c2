// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A target of a discovery file or another source, before the configuration's rules are applied.
struct DiscoveredTarget {
    let address: String
    var id: String?
    var name: String?
    /// The probe; nil for none.
    let probe: ValidatedMapping?
    /// Whether the probe is the target's own, so that labels do not choose another kind.
    var hasOwnProbe = false

    /// The target as the configuration would declare it.
    ///
    /// - Throws: a fault of the address.
    func object(
        _ labels: DiscoveredLabels,
        at place: ConfigurationDiagnostic.Place
    ) throws(Diagnostic) -> ValidatedMapping {
        let parsed = try DiscoveredAddress(address)
        var object = ValidatedMapping(ConfigurationSchema.target, at: place)
        object.set("id", .text(id.map(DiscoveredAddress.identifier) ?? parsed.id), at: place)
        object.set("name", try TextForm.line.read(name ?? address), at: place)
        object.set("host", try HostText.read(parsed.host), at: place)
        if let interface = parsed.interface { object.set("interface", .text(interface), at: place) }
        if let port = parsed.port { object.set("port", .integer(port), at: place) }
        if !labels.tags.isEmpty { object.set("tags", .labels(labels.tags), at: place) }
        if let probe = labels.request.probe(from: probe, isOwn: hasOwnProbe, for: parsed, at: place) {
            object.set("probe", .object(probe), at: place)
        }
        return object
    }
}

/// The labels of a target: settings of its probe, and tags.
struct DiscoveredLabels {
    /// The most tags of one target.
    static let maximum = 64

    private(set) var request = DiscoveredRequest()
    private(set) var tags: [String: String] = [:]
    /// The names of settings that are unknown.
    private(set) var withoutEffect: [String] = []

    /// Reads a label.
    ///
    /// - Throws: a fault, whose words follow the value.
    mutating func take(_ name: String, _ value: String) throws(Diagnostic) {
        guard name.hasPrefix("__") else {
            guard SchemaReader.isLabelName(name) else {
                throw Diagnostic("is the value of a label that is not the name of a tag")
            }
            if case .text(let text) = try TextForm.line.read(value) { tags[name] = text }
            return
        }
        if try !request.take(name, value) { withoutEffect.append(name) }
    }

    /// Adds tags, except those that the target has itself.
    mutating func addTags(_ more: [String: String]) {
        tags.merge(more) { own, _ in own }
    }

    /// Checks the number of tags.
    func checkCount() throws(Diagnostic) {
        guard tags.count <= Self.maximum else {
            throw Diagnostic(.outOfRange, "has \(tags.count) labels, more than \(Self.maximum)")
        }
    }
}
