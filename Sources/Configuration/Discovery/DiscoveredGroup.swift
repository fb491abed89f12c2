// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// An element of a file of targets.
struct DiscoveredGroup {
    /// A text with the place where it stands.
    struct Text {
        let text: String
        let place: ConfigurationFault.Place
    }

    /// Addresses: `host`, `host:port`, or a URL.
    var targets: [Text] = []
    /// What holds for all of them. Those with `__` in front say how they are asked.
    var labels: [(name: String, value: Text)] = []
}
