// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Who may do what; may change while the service runs.
package struct AccessRules: Sendable, Hashable {
    /// The tokens; with none everybody may read, and who is on this machine may write.
    package var tokens: [AccessToken]
    /// The sites whose pages may read the answers (CORS), each as `https://name:port`.
    package var origins: Set<String>
    /// How many changes a second are taken of each client, heartbeats of each target and client; nil: any number.
    package var writesPerSecond: Int?

    /// Creates rules.
    package init(tokens: [AccessToken] = [], origins: Set<String> = [], writesPerSecond: Int? = nil) {
        self.tokens = tokens
        self.origins = origins
        self.writesPerSecond = writesPerSecond
    }
}
