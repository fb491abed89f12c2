// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import NetworkPaths
import Probing
import ServerTrust
import TestSupport
import Testing

@testable import Monitoring

/// Six routers in a row, and a link that passes 1,280 bytes only, without ICMP reports: the verdict names the size and the
/// router in front of it.
@Suite(
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"),
    .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")")
)
struct PathMTUFaultTests {
    private static let count = 6

    /// Which side sends more than a full segment.
    enum Sender: String, CaseIterable {
        /// The server, with a certificate of some 6 KB.
        case server
        /// This machine, with a header of 6,000 bytes.
        case client
    }

    private static func kind(_ sender: Sender, _ address: String, _ folder: String) throws -> ProbeKind {
        switch sender {
        case .server:
            return .tls(TLSProbeSettings(tls: TLSSettings(authorityFile: folder + "/big.pem")))
        case .client:
            let host = address.contains(":") ? "[\(address)]" : address
            let header = try #require(HTTPHeader(name: "X-Pad", value: String(repeating: "x", count: 6_000)))
            return .http(HTTPProbeSettings(url: try HTTPURL("http://\(host)/"), headers: [header]))
        }
    }

    private static func with(
        _ sender: Sender,
        timeout: Duration = .seconds(2),
        _ body: (FaultScene, RouterChain) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let addresses = ["10.0.\(count + 1).2", "2001:db8:\(count + 1)::2"]
        let names = (1...250).map { "DNS:name-\($0).of-a-long-list.example" } + addresses.map { "IP:\($0)" }
        try Command.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", folder.path(of: "big.key"), "-out", folder.path(of: "big.pem"), "-days", "2", "-subj", "/CN=big",
            "-addext", "subjectAltName=" + names.joined(separator: ","),
        ])
        let targets = try addresses.enumerated().map { index, address in
            let host = try #require(IPAddress(address))
            let kind = try kind(sender, address, folder.path)
            return try TargetSettings.asked("web\(index == 0 ? 4 : 6)", .address(host), kind, timeout: timeout)
        }
        var chain: RouterChain?
        defer { chain?.remove() }
        var server: ChildProcess?
        defer { server?.kill(SIGKILL) }
        try await FaultScene.with(
            targets,
            setUp: { testbed in
                try testbed.p("addr del 192.0.2.1/24 dev p0;route del local 198.51.100.0/24 dev lo")
                let made = try RouterChain(count, behind: testbed)
                chain = made
                // Offloads would hand the routers packets of many segments, which a link's MTU does not stop.
                try made.host.ip("link set u\(count + 1) gso_max_segs 1")
                server = try serve(folder, in: made.host)
            }
        ) { scene in
            for id in ["web4", "web6"] { try await scene.settle(id, .up) }
            try await body(scene, try #require(chain))
        }
    }

    private static func serve(_ folder: TemporaryFolder, in host: NetworkNamespace) throws -> ChildProcess {
        let path = folder.path
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: " ")
        let file = try folder.write(
            """
            user root; daemon off; master_process off; pid \(path)/nginx.pid; error_log stderr notice;
            events { worker_connections 512; }
            http { access_log off; large_client_header_buffers 4 16k; \(folders)
            server { listen 80; listen [::]:80; listen 443 ssl; listen [::]:443 ssl;
            ssl_certificate \(path)/big.pem; ssl_certificate_key \(path)/big.key; location / { return 200 ok; } } }
            """,
            to: "nginx.conf"
        )
        let process = try ChildProcess(["nginx", "-e", "stderr", "-p", path, "-c", file], in: host)
        while let line = process.readLine(), !line.contains("using the \"epoll\"") {}
        return process
    }

    @Test(
        "The verdict names the size and the router, whichever side sends the large packets",
        arguments: Sender.allCases.flatMap { sender in (1...Self.count).map { (sender, $0) } }
    )
    func blackHoles(sender: Sender, router: Int) async throws {
        // Only packets to the host are limited behind the last router.
        guard sender == .client || router < Self.count else { return }
        try await Self.with(sender) { scene, chain in
            try chain.limit(router)
            for (id, address) in [("web4", chain.addresses4[router - 1]), ("web6", chain.addresses6[router - 1])] {
                let record = try await scene.settle(id, because: .mtuBlackHole)
                #expect(record.state == .unreachable)
                #expect(record.reason?.cause == .path)
                #expect(record.evaluation?.diagnosis?.rule == .mtuBlackHole)
                let way = router == Self.count ? " or on the way back" : ""
                let words =
                    "packets of more than 1280 bytes do not arrive "
                    + "(path MTU black hole behind \(address) (hop \(router))\(way))"
                #expect(record.reason?.detail == words)
            }
            try chain.unlimit(router)
            for id in ["web4", "web6"] { try await scene.settle(id, .up) }
        }
    }

    @Test("The way back alone is limited: found by connections, for IPv6 also by echo requests")
    func wayBack() async throws {
        try await Self.with(.server) { scene, chain in
            try chain.limitReturn(3)
            let four = try await scene.settle("web4", because: .mtuBlackHole)
            #expect(
                four.reason?.detail
                    == "full segments do not arrive, segments of 536 bytes do (path MTU black hole)"
            )
            let six = try await scene.settle("web6", because: .mtuBlackHole)
            let words =
                "packets of more than 1280 bytes do not arrive (path MTU black hole behind "
                + "\(chain.addresses6[Self.count - 1]) (hop \(Self.count)) or on the way back)"
            #expect(six.reason?.detail == words)
        }
    }

    @Test("Routers and host that do not answer echo requests: connections show the black hole")
    func withoutEcho() async throws {
        try await Self.with(.client) { scene, chain in
            try chain.host.exec("nft add table inet echo")
            try chain.host.exec("nft add chain inet echo input { type filter hook input priority 0 ; }")
            try chain.host.exec("nft add rule inet echo input icmp type echo-request drop")
            try chain.host.exec("nft add rule inet echo input icmpv6 type echo-request drop")
            try chain.limit(3)
            for id in ["web4", "web6"] {
                let record = try await scene.settle(id, because: .mtuBlackHole)
                #expect(record.reason?.detail.hasPrefix("full segments do not arrive") == true)
            }
        }
    }

    @Test("With ICMP reports the kernel learns the size: the target stays up", arguments: Sender.allCases)
    func reported(sender: Sender) async throws {
        try await Self.with(sender) { scene, chain in
            try chain.routers[2].ip("link set d4 mtu 1280")
            try chain.routers[3].ip("link set u4 mtu 1280")
            for id in ["web4", "web6"] {
                for _ in 0..<4 { _ = await scene.probe(id) }
                #expect(scene.registry.target(id)?.state == .up)
            }
        }
    }

    @Test("A server that accepts connections and says nothing is not behind a black hole")
    func others() async throws {
        try await Self.with(.server, timeout: .seconds(1)) { scene, chain in
            // With the certificate's server frozen, the kernel accepts connections and acknowledges data.
            let pids = try Command.run(["ip", "netns", "pids", chain.host.name]).split(separator: "\n")
            for pid in pids { kill(try #require(Int32(pid)), SIGSTOP) }
            for id in ["web4", "web6"] {
                try await scene.settle(id, .down)
                // The investigation takes three timeouts at most.
                for _ in 0..<4 {
                    let report = await scene.probe(id)
                    #expect(report?.diagnosis?.rule != .mtuBlackHole)
                }
                #expect(scene.registry.target(id)?.state == .down)
            }
            for pid in pids { kill(try #require(Int32(pid)), SIGCONT) }
        }
    }

    @Test("30 % loss in each direction is not a black hole")
    func loss() async throws {
        try await Self.with(.server, timeout: .seconds(1)) { scene, chain in
            try chain.routers[2].exec("nft add table inet loss")
            try chain.routers[2].exec("nft add chain inet loss forward { type filter hook forward priority 0 ; }")
            try chain.routers[2].exec("nft add rule inet loss forward numgen random mod 100 < 30 drop")
            for _ in 0..<20 {
                for id in ["web4", "web6"] {
                    let report = await scene.probe(id)
                    #expect(report?.diagnosis?.rule != .mtuBlackHole)
                    #expect(scene.registry.target(id)?.reason?.code != .probe(.mtuBlackHole))
                }
            }
        }
    }
}

extension FaultScene {
    /// Waits until a target has a reason.
    fileprivate func settle(_ id: String, because reason: ProbeReason) async throws -> StatusRecord {
        @Sendable func isMet(_ record: StatusRecord?) -> Bool { record?.reason?.code == .probe(reason) }
        if !isMet(registry.target(id)) {
            try await transitions.next { [registry] _ in isMet(registry.target(id)) }
        }
        return try #require(registry.target(id))
    }

    /// Probes a target now.
    fileprivate func probe(_ id: String) async -> ProbeReport? {
        await withCheckedContinuation { continuation in
            probes.probe(id) { continuation.resume(returning: $0) }
        }
    }
}
