// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// One of Prometheus' Alertmanagers, by the second version of its interface.
package struct AlertmanagerSettings: Sendable, Hashable {
    /// Where to and how: the URL of `/api/v2/alerts`; method, body and expectations are not meant.
    package var request: HTTPProbeSettings
    /// Headers whose values are the only line of a file, by name; read each time.
    package var headerFiles: [String: String] = [:]
    /// How long a try may take.
    package var timeout: Duration = .seconds(10)
    /// How often an alert is sent that goes on: well below Alertmanager's `resolve_timeout`.
    package var resendInterval: Duration = .seconds(60)
    /// Labels of every alert.
    package var labels: [String: String] = [:]
    /// What `generatorURL` begins with; nil: there is none.
    package var externalURL: String?

    /// Whether a text can be the name of a label, and is none of those that reachd sets.
    package static func isLabelName(_ text: String) -> Bool { Alert.labelName(text) == text }

    /// Creates settings; everything but the request has a default.
    package init(request: HTTPProbeSettings) {
        self.request = request
    }
}
