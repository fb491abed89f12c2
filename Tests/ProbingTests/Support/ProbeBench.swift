// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing
import TestSupport
import Testing

/// A runner on its own loop, with name servers and hosts of its own.
///
/// Unchecked because the runner and the resolver are touched on the loop's thread only.
final class ProbeBench: @unchecked Sendable {
    let loop: EventLoop
    private let folder: TemporaryFolder
    private var resolver: Resolver?
    private var runner: ProbeRunner?

    init(
        clock: any MonotonicClock = SystemMonotonicClock(),
        hosts: String = "",
        dnsPort: UInt16 = 9,
        wallClock: @escaping @Sendable () -> Int64 = SystemTime.now,
        prologue: @escaping @Sendable () -> Void = {}
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let files = ResolverConfigurationFiles(
            resolvConf: try folder.write("nameserver 127.0.0.1\nsearch .\n", to: "resolv.conf"),
            hosts: try folder.write(hosts, to: "hosts"),
            nameServiceSwitch: try folder.write("hosts: files dns\n", to: "nsswitch.conf")
        )
        let loop = try EventLoop(name: "probe-test", clock: clock, prologue: prologue)
        self.loop = loop
        _ = loop.executeAndWait { [self] in
            resolver = try? Resolver(loop: loop, files: files, limits: ResolverLimits(port: dnsPort))
            if let resolver { runner = ProbeRunner(loop: loop, resolver: resolver, wallClock: wallClock) }
        }
    }

    deinit {
        close()
    }

    func close() {
        _ = loop.executeAndWait { [self] in
            runner?.close()
            resolver?.close()
        }
        // The completions of what was cancelled come in a further turn.
        _ = loop.executeAndWait {}
        _ = loop.executeAndWait { [self] in
            runner = nil
            resolver = nil
        }
        loop.close()
    }

    /// Runs something on the loop's thread, with the runner.
    func onLoop(_ body: @escaping @Sendable (ProbeRunner) -> Void) {
        _ = loop.executeAndWait { [self] in if let runner { body(runner) } }
    }

    /// One run's result.
    func run(_ request: ProbeRequest, under policy: TargetPolicy? = nil) async -> ProbeResult {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                runner?.start(request, under: policy) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Starts a run; its results are recorded.
    func begin(_ request: ProbeRequest) -> Recorder<ProbeResult> {
        let results = Recorder<ProbeResult>()
        onLoop { runner in
            runner.start(request) { results.record($0) }
            #expect(results.count == 0, "never from inside start")
        }
        return results
    }

    /// The runs in flight.
    var runsInFlight: Int {
        loop.executeAndWait { [self] in runner?.runsInFlight ?? 0 } ?? 0
    }
}
