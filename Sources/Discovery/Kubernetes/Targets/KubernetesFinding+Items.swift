// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

extension KubernetesFinding {
    /// The targets as items of discovery.
    ///
    /// - Parameter place: The object in words.
    func items(place: String) -> [DiscoveredItem] {
        let tags = tags.sorted { $0.key < $1.key }.map { DiscoveredItem.Label($0.key, $0.value) }
        let declaration = DiscoveredItem.Declaration(
            group: group,
            probe: probe,
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
}
