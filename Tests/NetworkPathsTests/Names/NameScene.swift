// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport

/// A testbed after `base` with a name server on its loopback and resolver files of its own.
final class NameScene: Sendable {
    let testbed: Testbed
    let files: TemporaryFolder
    let server: NameServer
    let engine: PathEngine
    let log: PathLog

    static let liveServer = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
    /// Nobody listens there.
    static let deadServer = "nameserver 127.0.0.9\noptions timeout:1 attempts:1\n"

    static func with(
        hosts: String = "",
        configuration: String = liveServer,
        _ body: (NameScene) async throws -> Void
    ) async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            let scene = try NameScene(testbed, hosts, configuration)
            defer { scene.engine.close() }
            try await body(scene)
        }
    }

    private init(_ testbed: Testbed, _ hosts: String, _ configuration: String) throws {
        self.testbed = testbed
        files = try TemporaryFolder()
        server = try NameServer(in: testbed.namespace)
        log = PathLog()
        var options = PathEngineOptions()
        options.sysfsRoot = "/nonexistent"
        options.resolverFiles.hosts = try files.write(hosts, to: "hosts")
        options.resolverFiles.configuration = try files.write(configuration, to: "resolv.conf")
        options.resolverFiles.watched = [try files.write("hosts: files dns\n", to: "nsswitch.conf")]
        engine = try PathEngine(options: options, observer: log, prologue: testbed.namespace.prologue)
    }

    /// Watches a name.
    func add(_ name: String, judgement: PathRequest.NameEvaluation = .optimistic) throws -> PathID {
        engine.add([PathRequest(try PathTarget(parsing: name), nameEvaluation: judgement)])[0]
    }

    /// Awaits the end of a resolution.
    func resolved(_ id: PathID, after mark: Int = 0) async throws -> PathUpdate {
        try await log.next(id, after: mark, limit: .seconds(600)) { $0.path.resolution.state != .pending }
    }
}
