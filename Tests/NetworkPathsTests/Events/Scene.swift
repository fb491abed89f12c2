// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport

/// A testbed after `base`, and an engine that watches the four targets of linux-paths section 10, "Changes over time".
final class Scene: Sendable {
    let testbed: Testbed
    let engine: PathEngine
    let log: PathLog
    /// `default`
    let defaultPath: PathID
    /// 203.0.113.5, behind the router.
    let remote: PathID
    /// 192.0.2.9, on the link.
    let neighbour: PathID
    /// 192.0.2.2, our own.
    let own: PathID
    private let sentinel: PathID

    /// Sets the scene, waits until all is reachable, runs the body, and strikes the scene however the body ended.
    static func with(
        options: PathEngineOptions = PathEngineOptions(),
        setUp: (Testbed) throws -> Void = { try $0.base() },
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await Testbed.with { testbed in
            // A link-local address that is checked for duplicates says seconds later once more that it came.
            try testbed.namespace.sysctl("net.ipv6.conf.default.accept_dad", "0")
            try setUp(testbed)
            let scene = try Scene(testbed, options)
            defer { scene.engine.close() }
            for id in [scene.defaultPath, scene.remote, scene.neighbour, scene.own] {
                try await scene.log.settle(id) { $0.status == .satisfied }
            }
            try await body(scene)
        }
    }

    private init(_ testbed: Testbed, _ options: PathEngineOptions) throws {
        self.testbed = testbed
        log = PathLog()
        var options = options
        options.sysfsRoot = "/nonexistent"
        engine = try PathEngine(options: options, observer: log, prologue: testbed.namespace.prologue)
        let texts = ["default", "203.0.113.5", "192.0.2.9", "192.0.2.2", Self.sentinelAddress]
        let ids = engine.add(try texts.map { PathRequest(try PathTarget(parsing: $0)) })
        defaultPath = ids[0]
        remote = ids[1]
        neighbour = ids[2]
        own = ids[3]
        sentinel = ids[4]
    }

    private static let sentinelAddress = "198.51.100.255"

    /// Waits until the engine has seen all that happened so far: a change of the sentinel's own comes after it, and
    /// netlink keeps the order.
    func barrier() async throws {
        let before = log.path(of: sentinel)?.unsatisfiedReason
        let verb = before == .prohibited ? "del" : "add"
        let mark = log.updates.count
        try testbed.i("rule \(verb) to \(Self.sentinelAddress) priority 5 prohibit")
        try await log.next(sentinel, after: mark)
    }

    /// The deliveries (R57) of a target after a mark.
    func deliveries(of id: PathID, after mark: Int) -> [PathUpdate] {
        log.updates(of: id, after: mark).filter(\.isDelivery)
    }

    /// All updates after a mark but the sentinel's.
    func updates(after mark: Int) -> [PathUpdate] {
        log.updates.events.dropFirst(mark).filter { $0.id != sentinel }
    }

    /// The targets whose latest verdict is not what the kernel says now.
    func stale(_ ids: [PathID], _ requests: [PathRequest]) -> [PathTarget] {
        let latest = log.latest
        return zip(zip(ids, requests), engine.evaluate(requests)).compactMap { watched, path in
            guard var told = latest[watched.0] else { return watched.1.target }
            told.generation = path.generation
            return told == path ? nil : watched.1.target
        }
    }
}
