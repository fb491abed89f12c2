// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("reachd check", .timeLimit(.minutes(15)))
struct CheckCommandTests {
    /// Digits, so that times are all alike.
    private func masked(_ text: String) -> String {
        String(text.map { $0.isNumber ? "0" : $0 })
    }

    private static let noResponse = "nothing responds, and no earlier route is known to compare with"

    @Test("phases drawn as bars one behind the other, the answer, the path, and no cause")
    func http() throws {
        let server = try HookServer { _, _ in .status(200) }
        let result = try Reachd.run(["check", "http://127.0.0.1:\(server.port)/a"], environment: ["COLUMNS": "100"])
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0].hasPrefix("http://127.0.0.1:\(server.port)/a (127.0.0.1) is up in "))
        #expect(lines[0].hasSuffix("status 200 over HTTP/1.1, 0 bytes"))
        #expect(lines[1].isEmpty)
        let bars = lines.filter { $0.contains("█") }
        #expect(bars.count >= 2)
        #expect(bars[0].hasPrefix("  connect "))
        // Each begins where the one before ended, within the rounding of both.
        let starts = bars.map { Array($0).firstIndex(of: "█") ?? 0 }
        let ends = bars.map { Array($0).lastIndex(of: "█") ?? 0 }
        #expect(starts[0] == 23)
        #expect(zip(ends, starts.dropFirst()).allSatisfy { abs($0 + 1 - $1) <= 1 })
        #expect(result.output.contains("  path        by lo (loopback), source 127.0.0.1\n"))
        let plain = try Reachd.run(["check", "127.0.0.1:\(server.port)"], environment: ["LC_ALL": "C"])
        #expect(plain.output.contains("####"))
        #expect(!plain.output.contains("█"))
    }

    @Test("a target that refuses is at fault; the exit status is 1")
    func refused() throws {
        let result = try Reachd.run(["check", "127.0.0.1:1"])
        #expect(result.status == 1)
        #expect(result.output.contains("is down in "))
        #expect(result.output.contains("[connect_refused]"))
        #expect(result.output.contains("  cause       the target: an answer came back"))
        let narrow = try Reachd.run(["check", "127.0.0.1:1"], environment: ["COLUMNS": "44"]).lines
        #expect(narrow.allSatisfy { $0.count <= 44 }, "\(narrow)")
        let wrapped = ["  [connect_refused]", "              back, so the path works in"]
        #expect(wrapped.allSatisfy(narrow.contains), "\(narrow)")
        let status = try HookServer { _, _ in .status(503) }
        let wrong = try Reachd.run(["check", "http://127.0.0.1:\(status.port)/"])
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("[unexpected_status]"))
    }

    @Test("Nagios: one line, performance data, and each of the four statuses")
    func nagios() throws {
        let server = try HookServer { request, _ in .status(request.target == "/bad" ? 500 : 200) }
        let url = "http://127.0.0.1:\(server.port)/"
        let ok = try Reachd.run(["check", "--nagios", "-w", "30s,14d", "-c", "60,3d", url])
        #expect(ok.status == 0)
        #expect(ok.lines.count == 1)
        let pattern =
            /^HTTP OK - http:\/\/127\.0\.0\.1:\d+\/: status 200 over HTTP\/1\.1, 0 bytes \| time=\d\.\d{6}s;30\.000000;60\.000000;0;5\.000000 connect=\d\.\d{6}s;;;0 .*size=0B;;;0$/
        #expect(ok.lines.first?.firstMatch(of: pattern) != nil, "\(ok.output)")
        let slow = try Reachd.run(["check", "--nagios", "-w", "0.000001", url])
        #expect(slow.status == 1)
        #expect(slow.output.hasPrefix("HTTP WARNING - "))
        let critical = try Reachd.run(["check", "--nagios", "-w", "0.000001", "-c", "0.000001", url])
        #expect(critical.status == 2)
        #expect(critical.output.hasPrefix("HTTP CRITICAL - "))
        #expect(try Reachd.run(["check", "--nagios", url + "bad"]).status == 2)
        #expect(try Reachd.run(["check", "--nagios", "127.0.0.1:1"]).status == 2)
        let unknown = try Reachd.run(["check", "--nagios", "nosuch://x"])
        #expect(unknown.status == 3)
        #expect(try Reachd.run(["check", "--nagios"]).status == 3)
        #expect(try Reachd.run(["check", "nosuch://x"]).status == 2)
        let path = try Reachd.run(["check", "127.0.0.1/24"])
        #expect(path.status == 2)
        #expect(path.output.contains("icmp has no path; write http:// or https:// before it to request a web page"))
    }

    @Test("Nagios: a clock that is behind has a negative offset")
    func nagiosOffset() throws {
        let program = """
            import socket, struct, time
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("127.0.0.1", 0))
            print(server.getsockname()[1], flush=True)
            while True:
                request, client = server.recvfrom(512)
                now = time.time() - 36000.5 + 2208988800
                stamp = struct.pack("!II", int(now), int(now % 1 * 2**32))
                head = bytes([0x24, 2, 6, 0xE9]) + bytes(8) + bytes([192, 0, 2, 9]) + bytes(8)
                server.sendto(head + request[40:48] + stamp + stamp, client)
            """
        let server = try ChildProcess(["python3", "-c", program])
        let port = try #require(server.readLine())
        let result = try Reachd.run(["check", "--nagios", "ntp://127.0.0.1:\(port)"])
        #expect(result.status == 0, "\(result.output)")
        // Ten hours, but for half of the round trip.
        #expect(result.output.firstMatch(of: /\boffset=-3(599\d|600\d)\.\d{6}s/) != nil, "\(result.output)")
    }

    @Test("an unusable file of authorities is this side's fault, reported before a probe is sent")
    func authorities() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path(of: "nope.crt")
        let garbage = try folder.write("no certificate", to: "garbage.crt")
        for target in ["https://127.0.0.1:1/", "tls://127.0.0.1:1", "grpcs://127.0.0.1:1"] {
            for (file, words) in [
                (missing, "open(\(missing)): No such file or directory"),
                (garbage, "\(garbage) contains no certificate"),
            ] {
                let plain = try Reachd.run(["check", "--cacert", file, target])
                #expect(plain.status == 2)
                #expect(plain.output.hasPrefix("Error: --cacert \(file) cannot be used: \(words)\n"))
                let plugin = try Reachd.run(["check", "--nagios", "--cacert", file, target])
                #expect(plugin.status == 3)
                #expect(plugin.output == "UNKNOWN - Error: --cacert \(file) cannot be used: \(words)\n")
            }
        }
    }

    @Test(
        "of several echo requests the average round trip counts, not reachd's own pauses between them",
        .enabled(if: EchoRequests.areAllowed, "\(EchoRequests.obstacle ?? "")")
    )
    func roundTrip() throws {
        let arguments = ["--nagios", "-w", "150ms", "-c", "200ms", "--count", "3", "127.0.0.1"]
        let plugin = try Reachd.run(["check"] + arguments)
        #expect(plugin.status == 0, "\(plugin.output)")
        let time = try #require(plugin.output.firstMatch(of: /\btime=(\d+\.\d+)s;0\.150000;0\.200000;0;/))
        let average = try #require(plugin.output.firstMatch(of: /\brequest=(\d+\.\d+)s;/))
        #expect(time.1 == average.1)
        // Two pauses of 200 ms are in the whole.
        let shown = try Reachd.run(["check", "--count", "3", "127.0.0.1"])
        let headline = try #require(shown.lines.first)
        #expect(headline.firstMatch(of: /is up in (\d+(\.\d+)? µs|\d\d?(\.\d+)? ms): 3 of 3 replies/) != nil)
    }

    @Test(
        "an option that is of another kind of probe is refused, not left out",
        arguments: [
            (["--name", "x", "http://127.0.0.1:1/"], "--name is for dns, not for http"),
            (["--record", "A", "127.0.0.1:1"], "--record is for dns, not for tcp"),
            (["--count", "1", "dns://127.0.0.1/a"], "--count is for icmp, not for dns"),
            (["--insecure", "127.0.0.1"], "--insecure is for http, tls and grpcs, not for icmp"),
            (["--cacert", "x", "grpc://127.0.0.1:1"], "--cacert is for http, tls and grpcs, not for grpc"),
        ]
    )
    func foreignOption(arguments: [String], words: String) throws {
        let result = try Reachd.run(["check"] + arguments)
        #expect(result.status == 2)
        #expect(result.output.hasPrefix("Error: \(words)\n"))
    }

    @Test("a bare slash is a path too, and names may be beyond ASCII")
    func slashesAndLetters() throws {
        for target in ["127.0.0.1:1/", "tcp://127.0.0.1:1/"] {
            let result = try Reachd.run(["check", target])
            #expect(result.status == 2)
            #expect(result.output.hasPrefix("Error: tcp has no path"))
        }
        for target in ["münchen.invalid", "münchen.invalid:80", "http://münchen.invalid/", "dns://münchen.invalid/a"] {
            let result = try Reachd.run(["check", target])
            #expect(result.status == 4 && result.output.contains(" cannot be reached "), "\(result.output)")
        }
        #expect(try Reachd.run(["check", "mü\u{202E}x"]).status == 2)
        #expect(try Reachd.run(["trust", "münchen.invalid"]).output.contains("xn--mnchen-3ya.invalid"))
    }

    @Test("days of certificates are bounds too")
    func certificates() throws {
        let folder = try TemporaryFolder()
        let pair = try SelfSignedCertificate("served", in: folder)
        try Command.run(["cp", pair.path, folder.path(of: "s.pem")])
        try Command.run(["cp", pair.key, folder.path(of: "s.key")])
        let server = try TLSServer(in: folder.path, "s", [])
        let target = ["tls://127.0.0.1:\(server.port)", "--cacert", pair.path]
        let warning = try Reachd.run(["check", "--nagios", "-w", "30d", "-c", "1d"] + target)
        #expect(warning.status == 1)
        #expect(masked(warning.output).contains("the certificates expire in 0 days, fewer than 00 | "))
        #expect(masked(warning.output).contains(" days=0;00:;0:"))
        #expect(try Reachd.run(["check", "--nagios", "-c", "30d"] + target).status == 2)
        #expect(try Reachd.run(["check", "--nagios", "-w", "1d"] + target).status == 0)
        #expect(try Reachd.run(["check", "-c", "30d"] + target).status == 1)
        let shown = try Reachd.run(["check"] + target)
        #expect(shown.status == 0)
        #expect(shown.output.contains("  certificate TLSv1.3, CN=served, expires in "), "\(shown.output)")
        let untrusted = try Reachd.run(["check", "tls://127.0.0.1:\(server.port)"])
        #expect(untrusted.status == 1)
        #expect(untrusted.output.contains("tls_self_signed"))
        #expect(try Reachd.run(["check", "--insecure", "tls://127.0.0.1:\(server.port)"]).status == 0)
    }

    @Test(
        "a datagram without an error is unknown with exit status 3; a refusal is a definite down"
    )
    func udp() throws {
        let socket = try BoundDatagramSocket()
        let shown = try Reachd.run(["check", "udp://127.0.0.1:\(socket.port)"])
        #expect(shown.status == 3)
        #expect(shown.output.contains(" is unknown in "))
        #expect(shown.output.contains("  cause       undecided: "))
        let told = try Reachd.run(["check", "--json", "udp://127.0.0.1:\(socket.port)"])
        #expect(told.status == 3)
        #expect(told.output.contains(#""success":false"#) && !told.output.contains(#""cause""#))
        let plugin = try Reachd.run(["check", "--nagios", "udp://127.0.0.1:\(socket.port)"])
        #expect(plugin.status == 3)
        #expect(plugin.output.hasPrefix("UDP UNKNOWN - "))
        let refused = try Reachd.run(["check", "udp://127.0.0.1:1"])
        #expect(refused.status == 1)
        #expect(refused.output.contains("[connect_refused]"))
    }

    @Test("a link-local address without an interface is refused with a hint; with one it is probed")
    func linkLocal() throws {
        let refused = try Reachd.run(["check", "tcp://[fe80::1]:80"])
        #expect(refused.output.contains("write the interface behind it, such as fe80::1%eth0"))
        let asked = try Reachd.run(["check", "tcp://[fe80::1%nosuch0]:80"])
        #expect(asked.status == 4)
        #expect(asked.output.contains("cannot be reached: no such interface [network_unreachable]"))
    }

    @Test("--json has the result as the HTTP interface has it, and the path")
    func json() throws {
        let result = try Reachd.run(["check", "--json", "127.0.0.1:1"])
        #expect(result.status == 1)
        #expect(result.output.hasPrefix(#"{"subject":"127.0.0.1:1","type":"tcp","result":{"at":"2"#))
        #expect(result.output.contains(#""cause":"target""#))
        #expect(result.output.contains(#""rule":"wrong_answer","network":{"path":{"status":"satisfied""#))
    }

    @Test(
        "invalid options and targets are reported",
        arguments: [
            ["a:b:c:0"], ["tcpp://a:1"], ["example.org:99999"], ["tcp://a"], ["udp://a"], ["fe80::1"],
            ["tcp://[fe80::1]:80"],
            ["http://[fe80::1]/"], ["icmp://a:1"], ["dns://a"],
            ["--type", "tls", "tcp://a:1"], ["-4", "::1"], ["-4", "-6", "a"], ["--timeout", "0", "a"],
            ["--count", "0", "a"],
            ["-w", "x", "a"], ["--record", "NOPE", "dns://a/b"], ["--nagios", "--json", "a"], [],
        ]
    )
    func usage(arguments: [String]) throws {
        let result = try Reachd.run(["check"] + arguments)
        #expect(result.status == (arguments.contains("--nagios") ? 3 : 2), "\(result.output)")
        #expect(result.output.hasPrefix(arguments.contains("--nagios") ? "UNKNOWN - Error: " : "Error: "))
    }

    @Test(
        "a router that drops: the cause is the target or the path behind the last router that answers",
        .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)")
    )
    func router() async throws {
        try await Testbed.with { bed in
            try bed.base()
            let chain = try RouterChain(3, behind: bed)
            defer { chain.remove() }
            try chain.route(2, "blackhole", "")
            let arguments = ["--timeout", "700ms", "\(chain.address4):80"]
            let shown = try Reachd.run(["check"] + arguments, in: bed.namespace)
            let cause = shown.lines.first { $0.hasPrefix("  cause") }.map { String($0) }
            #expect(cause == "  cause       the target, or the path behind 192.0.2.1 (hop 1): \(Self.noResponse)")
            #expect(shown.status == 1 && shown.lines[0].contains("(\(chain.address4)) does not answer after "))
            let plugin = try Reachd.run(["check", "--nagios"] + arguments, in: bed.namespace)
            #expect(plugin.output.contains("; the target, or the path to it |") && plugin.status == 2)
        }
    }

    @Test(
        "a pulled cable, a missing route and a silent gateway are my network; a silent host behind it is theirs",
        .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)")
    )
    func verdicts() async throws {
        try await Testbed.with { bed in
            try bed.base()
            try bed.p("addr add 192.0.2.1/24 dev p0;link set lo up")
            func verdict(_ target: String) throws -> (status: Int32, nagios: Int32, words: String, headline: String) {
                let arguments = ["--timeout", "700ms", target]
                let shown = try Reachd.run(["check"] + arguments, in: bed.namespace)
                let plugin = try Reachd.run(["check", "--nagios"] + arguments, in: bed.namespace)
                let line = shown.lines.first { $0.hasPrefix("  cause") }?.dropFirst(14)
                let words = line.map(String.init) ?? shown.output
                return (shown.status, plugin.status, words, String(shown.lines.first ?? ""))
            }
            // The gateway is there and drops what goes on.
            try bed.p("route add blackhole 203.0.113.0/24")
            let theirs = try verdict("203.0.113.5:80")
            #expect(theirs.status == 1 && theirs.nagios == 2)
            #expect(theirs.words == "the target, or the path to it: \(Self.noResponse)")
            // Nobody has the gateway's address any more.
            try bed.p("addr del 192.0.2.1/24 dev p0")
            try bed.i("neigh flush all")
            let gateway = try verdict("203.0.113.5:80")
            #expect(gateway.nagios == 3)
            #expect(gateway.words.hasPrefix("the local network: "), "\(gateway.words)")
            #expect(gateway.status == 4 && gateway.headline.contains("(203.0.113.5) cannot be reached after "))
            try bed.i("route add prohibit 198.51.100.0/24")
            let prohibited = try verdict("198.51.100.1:80")
            #expect(prohibited.words == "the local network: this machine has no usable route to it")
            #expect(prohibited.status == 4 && prohibited.nagios == 3)
            try bed.i("link set eth0 down")
            #expect(try verdict("203.0.113.5:80").words == "the local network: this machine has no usable route to it")
            try bed.i("link set eth0 up;route replace default via 192.0.2.1")
            // A probe would wait for the neighbour.
            try bed.p("link set p0 down")
            let cut = try verdict("203.0.113.5:80")
            #expect(cut.headline == "203.0.113.5:80 (203.0.113.5) cannot be reached: no carrier [network_down]")
            #expect(cut.status == 4 && cut.nagios == 3)
        }
    }
}
