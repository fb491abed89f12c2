// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Receives what the engine finds, on the engine's own thread, in the order in which it was found.
///
/// An observer must not block: while it runs, no other target is judged.
public protocol PathEngineObserver: AnyObject, Sendable {
    /// All changes of one pass, each target at most once; the first verdict of a new target included.
    func pathsDidChange(_ updates: [PathUpdate])
    /// The resolvers, their reachability, the default gateways or the families with a default path changed.
    func environmentDidChange(_ environment: NetworkEnvironment)
}
