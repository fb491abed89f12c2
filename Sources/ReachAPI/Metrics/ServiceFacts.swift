// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import HTTPServer
package import History
package import LinuxIO
package import Monitoring
package import NetworkPaths

/// What only the wiring knows of the service, for the metrics; what is nil is not told.
package struct ServiceFacts: Sendable {
    /// The HTTP server.
    package var server: HTTPServerStatistics?
    /// The path engine.
    package var paths: PathEngineStatistics?
    /// The process.
    package var process: ProcessStatistics?
    /// The durable event log.
    package var history: HistoryStatus?
    /// The last time that the configuration was read.
    package var reload: Reload?

    /// How reading the configuration went.
    package struct Reload: Sendable {
        /// Whether the last one is in force.
        package var isSuccessful: Bool
        /// When the one that is in force was read.
        package var at: Timestamp

        /// Creates facts.
        package init(isSuccessful: Bool, at: Timestamp) {
            self.isSuccessful = isSuccessful
            self.at = at
        }
    }

    /// Nothing is known.
    package init() {}
}
