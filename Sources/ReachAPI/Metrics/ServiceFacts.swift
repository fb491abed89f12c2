// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import HTTPServer
public import History
public import LinuxIO
public import Monitoring
public import NetworkPaths

/// What only the wiring knows of the service, for the metrics; what is nil is not told.
public struct ServiceFacts: Sendable {
    /// The HTTP server.
    public var server: HTTPServerStatistics?
    /// The path engine.
    public var paths: PathEngineStatistics?
    /// The process.
    public var process: ProcessStatistics?
    /// The durable event log.
    public var history: HistoryStatus?
    /// The last time that the configuration was read.
    public var reload: Reload?

    /// How reading the configuration went.
    public struct Reload: Sendable {
        /// Whether the last one is in force.
        public var isSuccessful: Bool
        /// When the one that is in force was read.
        public var at: Timestamp

        /// Creates facts.
        public init(isSuccessful: Bool, at: Timestamp) {
            self.isSuccessful = isSuccessful
            self.at = at
        }
    }

    /// Nothing is known.
    public init() {}
}
