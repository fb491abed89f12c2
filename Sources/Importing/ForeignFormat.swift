// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// Whose configuration a text is; raw values are what the command line takes.
package enum ForeignFormat: String, Sendable, Hashable, CaseIterable {
    /// Prometheus' blackbox_exporter: `modules`.
    case blackbox
    /// Gatus: `endpoints`.
    case gatus

    /// Recognises a text by its keys.
    init?(_ root: YAMLNode) {
        if root["modules"] != nil {
            self = .blackbox
        } else if root["endpoints"] != nil || root["external-endpoints"] != nil {
            self = .gatus
        } else {
            return nil
        }
    }
}
