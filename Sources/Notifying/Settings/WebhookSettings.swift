// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// An HTTP server that takes messages.
package struct WebhookSettings: Sendable, Hashable {
    /// Where to and how; body and expectations are not meant.
    package var request: HTTPProbeSettings
    /// Headers whose values are the only line of a file, by name; read each time.
    package var headerFiles: [String: String] = [:]
    /// How long a try may take.
    package var timeout: Duration = .seconds(10)
    /// The header `Content-Type`.
    package var contentType = "application/json"
    /// The body; nil for the default one.
    package var template: MessageTemplate?
    /// The file whose only line is the key that messages are signed with; nil: they are not.
    package var secretFile: String?

    /// Creates settings; everything but the request has a default.
    package init(request: HTTPProbeSettings) {
        self.request = request
    }
}
