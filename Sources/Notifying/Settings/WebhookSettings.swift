// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Probing

/// An HTTP server that takes messages.
public struct WebhookSettings: Sendable, Hashable {
    /// Where to and how; body and expectations are not meant.
    public var request: HTTPProbeSettings
    /// Headers whose values are the only line of a file, by name; read each time.
    public var headerFiles: [String: String] = [:]
    /// How long a try may take.
    public var timeout: Duration = .seconds(10)
    /// The header `Content-Type`.
    public var contentType = "application/json"
    /// The body; nil for the default one.
    public var template: MessageTemplate?
    /// The file whose only line is the key that messages are signed with; nil: they are not.
    public var secretFile: String?

    /// Creates settings; everything but the request has a default.
    public init(request: HTTPProbeSettings) {
        self.request = request
    }
}
