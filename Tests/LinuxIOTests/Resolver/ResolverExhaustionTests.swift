// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Testing

/// A process without descriptors cannot ask, which is not the fault of the name servers. In a process of its own, which gives its
/// descriptors up.
@Suite(.timeLimit(.minutes(15)))
struct ResolverExhaustionTests {
    @Test("EMFILE is an outcome of its own, whatever was known; with descriptors the name is resolved")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try FakeNameServer.answering {
                [DNSMessage.answer($0, $0.type == 1 ? [.a($0.name, [192, 0, 2, 1])] : [])]
            }
            // Two servers: c-ares tries the next one, and has no socket for that either.
            let bench = try ResolverBench(
                port: server.port,
                resolvConf: "nameserver 127.0.0.1\nnameserver 127.0.0.2\nsearch .\n",
                hosts: "192.0.2.9 known\n"
            )
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let before = limit
            limit.rlim_cur = 0
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            for name in ["far.example", "other.example"] {
                guard case .exhausted(let error) = await bench.resolve(name).outcome, error.code == EMFILE else {
                    exit(3)
                }
            }
            // The files cannot be read anew either, and stay as they were.
            guard bench.resolver.run({ $0?.reload() })??.code == .unreadable(EMFILE) else { exit(7) }
            guard await bench.addresses("known") == [[192, 0, 2, 9]] else { exit(4) }
            guard case .exhausted = await bench.resolve("far.example").outcome else { exit(5) }
            limit = before
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard await bench.addresses("far.example") == [[192, 0, 2, 1]] else { exit(6) }
        }
    }

    @Test("A name server that refuses is no lack of descriptors")
    func refused() async throws {
        let bench = try ResolverBench(port: 9, timeout: 50, tries: 1)
        #expect(await bench.resolve("far.example").outcome == .unreachable)
    }
}
