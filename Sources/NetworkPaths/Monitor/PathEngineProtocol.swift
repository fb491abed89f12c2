// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a ``PathHub`` needs of an engine, so that tests can put a scripted one in its place.
package protocol PathEngineProtocol: Sendable {
    /// See ``PathEngine/add(_:)``.
    func add(_ requests: [(id: PathID, request: PathRequest)])
    /// See ``PathEngine/remove(_:)``.
    func remove(_ ids: [PathID])
    /// See ``PathEngine/evaluate(_:)``.
    func evaluate(_ requests: [PathRequest]) -> [NetworkPath]
    /// See ``PathEngine/apply(_:)``.
    func apply(_ options: PathEngineOptions)
    /// See ``PathEngine/close()``.
    func close()
}

extension PathEngine: PathEngineProtocol {}
