// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// A resolver on its own loop, with its own configuration files.
final class ResolverBench: Sendable {
    let loop: EventLoop
    let folder: TemporaryFolder
    let resolver: LoopConfined<Resolver?>

    init(
        name: String = "resolver-test",
        port: UInt16,
        resolvConf: String = "nameserver 127.0.0.1\nsearch .\n",
        hosts: String = "",
        nameServiceSwitch: String = "hosts: files dns\n",
        timeout: Int32 = 2_000,
        tries: Int32 = 2,
        clock: any MonotonicClock = SystemMonotonicClock(),
        prologue: @escaping @Sendable () -> Void = {}
    ) throws {
        folder = try TemporaryFolder()
        let files = ResolverConfigurationFiles(
            resolvConf: try folder.write(resolvConf, to: "resolv.conf"),
            hosts: try folder.write(hosts, to: "hosts"),
            nameServiceSwitch: try folder.write(nameServiceSwitch, to: "nsswitch.conf")
        )
        let loop = try EventLoop(name: name, clock: clock, prologue: prologue)
        self.loop = loop
        resolver = LoopConfined(loop) {
            try? Resolver(loop: loop, files: files, limits: ResolverLimits(timeout: timeout, tries: tries, port: port))
        }
    }

    deinit {
        _ = resolver.run { $0?.close() }
        resolver.drop()
        loop.close()
    }

    /// The answer for one name.
    func resolve(_ name: String) async -> ResolverAnswer {
        await withCheckedContinuation { continuation in
            resolver.execute { resolver in resolver?.resolve(name) { continuation.resume(returning: $0) } }
        }
    }

    /// The addresses of one name as text, in the answer's order; nil for any other outcome.
    func addresses(_ name: String) async -> [[UInt8]]? {
        guard case .addresses(let found) = await resolve(name).outcome else { return nil }
        return found.map(\.bytes)
    }
}

extension ResolvedAddress {
    /// The 4 or 16 bytes in network order.
    var bytes: [UInt8] { unsafe address.withNetworkBytes { unsafe Array($0) } }

    /// An address from its 4 or 16 bytes in network order.
    init(bytes: [UInt8], timeToLive: UInt32) {
        let address = unsafe bytes.withUnsafeBytes { unsafe IPAddress(networkBytes: $0) }
        self.init(address ?? IPAddress(ipv4: 0), timeToLive: timeToLive)
    }
}
