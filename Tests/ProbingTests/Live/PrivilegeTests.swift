// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Probing
import TestSupport
import Testing

/// What this machine refuses. In processes of their own, which give up a right first.
@Suite(.timeLimit(.minutes(15))) struct PrivilegeTests {
    @Test(
        "icmp_not_permitted and permission_denied",
        .enabled(if: isPingClosed, "net.ipv4.ping_group_range lets this user send echo requests")
    )
    func unprivileged() async {
        await #expect(processExitsWith: .success) {
            guard dropCapabilities() else { exit(2) }
            let bench = try ProbeBench()
            var request = ProbeRequest(
                host: .address(IPAddress(ipv4: 0x7F00_0001)),
                kind: .icmp(ICMPProbeSettings())
            )
            guard await bench.run(request).reason == .icmpNotPermitted else { exit(3) }
            request.kind = .tcp(TCPProbeSettings(port: 9))
            request.mark = 7
            guard await bench.run(request).reason == .permissionDenied else { exit(4) }
            // What could not be asked shows nothing, not even that nobody answers.
            request.expectsFailure = true
            guard await bench.run(request).outcome == .failure else { exit(5) }
            bench.close()
        }
    }

    @Test(
        "Traces need no privilege, except those by ICMP: icmp_not_permitted",
        .enabled(if: isPingClosed, "net.ipv4.ping_group_range lets this user send echo requests")
    )
    func unprivilegedTraces() async {
        await #expect(processExitsWith: .success) {
            guard dropCapabilities() else { exit(2) }
            let bench = try TraceBench()
            for address in [IPAddress(ipv4: 0x7F00_0001), IPAddress(ipv6High: 0, low: 1)] {
                var request = TraceRequest(destination: address, method: .udp(port: 9))
                var result = await bench.run(request)
                guard case .refused(.some) = result.end, result.hops.map(\.addresses) == [[address]] else { exit(3) }
                request.method = .tcp(port: 9)
                result = await bench.run(request)
                guard result.end == .refused(nil), result.hops.map(\.addresses) == [[address]] else { exit(4) }
                request.method = .icmp
                result = await bench.run(request)
                guard case .fault(let fault) = result.end, fault.reason == .icmpNotPermitted else { exit(5) }
                request.mark = 7
                request.method = .tcp(port: 9)
                result = await bench.run(request)
                guard case .fault(let fault) = result.end, fault.reason == .permissionDenied else { exit(6) }
            }
            bench.close()
        }
    }

    @Test("out_of_descriptors, and well again afterwards") func descriptors() async {
        await #expect(processExitsWith: .success) {
            let bench = try ProbeBench()
            // What may not be asked at all fails for that reason.
            let allowed = ConformanceTests.Kind.allCases.filter { $0 != .icmp || EchoRequests.areAllowed }
            var kinds = try allowed.map { try $0.request(port: 9, timeout: .milliseconds(50)) }
            // Where a name has to be resolved first, the name servers are not at fault.
            kinds += kinds.map { request in
                var named = request
                named.host = .name("far.test")
                return named
            }
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let before = limit
            limit.rlim_cur = 0
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            for request in kinds {
                guard await bench.run(request).reason == .outOfDescriptors else { exit(3) }
            }
            limit = before
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            for request in kinds {
                guard await bench.run(request).reason != .outOfDescriptors else { exit(4) }
            }
            bench.close()
        }
    }
}

/// Whether no group may send echo requests: `1 0`, which a user namespace that does not map them shows as overflow groups.
private let isPingClosed: Bool = {
    guard let bytes = try? FileContents.read("/proc/sys/net/ipv4/ping_group_range", limit: 100) else { return false }
    let range = String(decoding: bytes, as: UTF8.self)
    return range == "1\t0\n" || range == "65534\t65534\n"
}()
