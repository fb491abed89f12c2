// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
package import Schema

/// An object that a source found, from which the configuration makes a target.
///
/// All texts are the source's and were not checked.
package struct DiscoveredItem: Sendable, Hashable {
    /// A label of the object.
    package struct Label: Sendable, Hashable {
        /// The name. One that begins with `__` is a setting of the probe, such as `__scheme__`; any other is a tag.
        package let name: String
        /// The value.
        package let value: String

        /// Creates a label.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A text with keys of a target, such as `{ group: shop, probe: { type: http } }`, which the object carries.
    package struct Declaration: Sendable, Hashable {
        /// YAML: a mapping.
        package let text: String
        /// The text's place for people: `ingress default/web, annotation reachd/target`.
        package let document: String
        /// Whether it may not lead the probe to another host than the item's: its author is no operator of reachd.
        package let isConfined: Bool

        /// Creates a declaration.
        package init(_ text: String, in document: String, isConfined: Bool = false) {
            self.text = text
            self.document = document
            self.isConfined = isConfined
        }
    }

    /// The address: `host`, `host:port`, `[2001:db8::1]:443`, or a URL.
    package var address: String
    /// The target's id; nil for one that is made from the address.
    package var id: String?
    /// The target's name for people; nil for the address.
    package var name: String?
    /// The labels, in order; of several with one name the last counts.
    package var labels: [Label]
    /// Keys of the target that the object declares itself; they count before all others.
    package var declaration: Declaration?
    /// The object's place for people.
    package var place: ConfigurationDiagnostic.Place

    /// Creates an item.
    package init(
        address: String,
        id: String? = nil,
        name: String? = nil,
        labels: [Label] = [],
        declaration: Declaration? = nil,
        place: ConfigurationDiagnostic.Place
    ) {
        self.address = address
        self.id = id
        self.name = name
        self.labels = labels
        self.declaration = declaration
        self.place = place
    }
}

extension DiscoveredItem {
    /// An id of the parts of an object's name, with colons between them. One that is too long, or whose parts have colons or other
    /// characters that ids cannot have, gets a hash of the parts: no two objects share an id.
    static func identifier(_ parts: [String]) -> String {
        let text = parts.joined(separator: ":")
        if TextForm.isIdentifier(text), !parts.contains(where: { $0.contains(":") }) { return text }
        let hash = StableHash.fnv1a(parts.joined(separator: "\0").utf8)
        let readable = text.map { TextForm.isIdentifier(String($0)) ? $0 : "-" }
        return "\(String(readable).prefix(100))-\(String(hash, radix: 16))"
    }
}

extension DiscoveredItem.Declaration {
    /// A target's group and its probe, as an object has them; nil for an object without both.
    ///
    /// - Parameter probe: YAML that a user of the source wrote. It becomes a block of its own: every line is indented, so that no line can be a key of the
    ///   target.
    init?(group: String?, probe: String?, in document: String, isConfined: Bool = false) {
        guard group != nil || probe != nil else { return nil }
        var text = group.map { "group: \(JSONWriter.quoted($0))\n" } ?? ""
        if let probe {
            text += "probe:\n  "
            for scalar in probe.unicodeScalars {
                text.unicodeScalars.append(scalar)
                // All line ends of YAML 1.1, which libyaml knows.
                if ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) { text += "  " }
            }
        }
        self.init(text, in: document, isConfined: isConfined)
    }
}
