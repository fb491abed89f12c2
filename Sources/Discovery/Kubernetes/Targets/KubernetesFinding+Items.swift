// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Schema

extension KubernetesFinding {
    /// The targets as items of discovery.
    ///
    /// - Parameter place: The object in words.
    func items(place: String) -> [DiscoveredItem] {
        let tags = tags.sorted { $0.key < $1.key }.map { DiscoveredItem.Label($0.key, $0.value) }
        let declaration = DiscoveredItem.Declaration(
            declarationText,
            in: "\(place), annotation reachd.io/probe",
            isConfined: isConfined
        )
        return targets.map { target in
            DiscoveredItem(
                address: target.address,
                id: target.id,
                name: target.name,
                labels: tags + [DiscoveredItem.Label("__param_module", target.probe)],
                declaration: declaration,
                place: .source(place)
            )
        }
    }

    /// The group, and the annotation's probe as a block of its own: every line of it is indented, so that no line can be a key of
    /// the target.
    private var declarationText: String {
        var text = "group: \(JSONWriter.quoted(group))\n"
        guard let probe else { return text }
        text += "probe:\n  "
        for scalar in probe.unicodeScalars {
            text.unicodeScalars.append(scalar)
            // All line ends of YAML 1.1, which libyaml knows.
            if ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) { text += "  " }
        }
        return text
    }
}
