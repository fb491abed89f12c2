// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("reachd status and targets", .timeLimit(.minutes(15)))
struct StatusCommandTests {
    static let status = """
        {"service":{"name":"reachd","version":"9.9","started_at":"2026-11-22T10:00:00.000Z","uptime_seconds":3725.5},\
        "epoch":"ab","sequence":7,"generated_at":"2026-11-22T11:02:05.500Z",\
        "network":{"system_configuration":{"status":"reachable_via_wifi","reachable":true},"path":{"status":"satisfied",\
        "interface":{"name":"eth0","index":2,"type":"wired_ethernet"},"gateway":"192.0.2.1",\
        "source_address":"192.0.2.2","supports_ipv4":true,"supports_ipv6":false,"supports_dns":true}},\
        "summary":{"unknown":0,"up":9,"degraded":0,"down":1,"unreachable":1,"paused":1,"maintenance":0,"total":12},\
        "activity":{"state":"not_active","visible":false,"count":0},\
        "anchors":{"up":1,"down":1,"total":2,"quorum":1,"is_internet_down":false},"history":{"state":"ok"},\
        "notifications":[{"name":"ops","type":"webhook","state":"retrying","pending":2,\
        "last_error":{"code":"timeout","detail":"no answer"}}]}
        """
    static let targets = """
        {"targets":[{"id":"mail","group":"web","state":"down","since":"2026-11-22T11:00:00.000Z","reason":{"code":"timeout",\
        "detail":"no answer\\u001b[2J within 5 seconds\\nand a line"},"cause":"target","pending":{"toward":"up","count":1,"of":2}},\
        {"id":"nas","state":"up","since":"2026-11-20T11:00:00.000Z","last_result":{"success":true,"duration_seconds":0.01234}},\
        {"id":"東京","state":"up","since":"2026-11-22T11:02:05.000Z","last_result":{"success":true,"duration_seconds":0.00085}}],\
        "total":3,"sequence":7,"generated_at":"2026-11-22T11:02:05.500Z"}
        """

    private func canned() throws -> CannedServer {
        try CannedServer { path in
            path.hasPrefix("/status") ? .json(Self.status) : .json(Self.targets)
        }
    }

    @Test("status in lines, targets that are not up below")
    func status() throws {
        let server = try canned()
        let result = try Reachd.run(["status", "--url", server.url], environment: ["COLUMNS": "72"])
        #expect(result.status == 0)
        #expect(
            result.output == """
                service   reachd 9.9 at \(server.url), up for 1 h 2 min
                network   online by eth0 (wired) via 192.0.2.1, source 192.0.2.2; IPv4,
                          DNS
                targets   12: 1 down, 1 unreachable, 9 up, 1 paused
                internet  up, 1 of 2 anchors up (quorum 1)
                history   ok
                notify    ops retrying, 2 queued: no answer

                TARGET  GROUP  STATE     FOR  LATENCY  WHY
                mail    web    down    2 min           1 of 2 results for up; no answer…
                東京           up        0 s   850 µs
                nas            up     2 days  12.3 ms

                """
        )
        #expect(
            server.requests.events.contains {
                $0.contains("/targets?state=down&state=unreachable&state=degraded&state=unknown")
            }
        )
    }

    @Test("open incidents first, what fails by severity, the last three events")
    func severity() throws {
        let incident =
            #"{"id":"ab-5","title":"eth0 went down: 2 targets unreachable","state":"open","severity":"unreachable","cause":"#
            + #""local_network","kind":"link","subject":"eth0","opened_at":"2026-11-22T10:58:43.500Z","#
            + #""targets":{"total":2},"acknowledged":{"by":"anna"},"muted_until":"2026-11-22T11:02:05.500Z"}"#
        let rows = [("a", "degraded"), ("b", "unreachable"), ("c", "down"), ("d", "unreachable")].enumerated().map {
            #"{"id":"\#($1.0)","name":"Name of \#($1.0)","state":"\#($1.1)","since":"2026-11-22T11:0\#($0):00.000Z"}"#
        }
        let list = #"{"targets":[\#(rows.joined(separator: ","))],"total":4,"generated_at":"2026-11-22T11:02:05.500Z"}"#
        let events = (1...5).map {
            let body =
                #"{"action":"opened","incident":\#(incident.replacing("ab-5", with: "ab-\($0)").replacing("2 targets", with: "\($0) targets"))"#
            return "id: ab-\($0)\nevent: incident\ndata: \(body),\"at\":\"2026-11-22T10:58:4\($0).000Z\"}\n\n"
        }
        let gateway = incident.replacing("eth0 went down", with: "Gateway 192.0.2.1 does not answer")
            .replacing(#""kind":"link""#, with: #""kind":"gateway""#).replacing("ab-5", with: "ab-4")
        // Not shown beside the one that covers it.
        let older = incident.replacing(#""ab-5","#, with: #""ab-3","covered_by":"ab-5","#)
        let server = try CannedServer { path in
            if path.hasPrefix("/status") { return .json(Self.status) }
            if path.hasPrefix("/incidents") {
                return .json(#"{"incidents":[\#(gateway),\#(incident),\#(older)],"open":5}"#)
            }
            if path.hasPrefix("/targets") { return .json(list) }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            return .bytes(Array((head + events.joined()).utf8))
        }
        let lines = try Reachd.run(["status", "--url", server.url]).output.split(separator: "\n")
        #expect(
            lines.first
                == "incident  eth0 went down: 2 targets unreachable (since 10:58:43, 3 min 22 s) [covers 1 older incident, acknowledged by anna]"
        )
        #expect(lines.dropFirst().first?.contains("Gateway 192.0.2.1 does not answer") == true, "the nearest is first")
        #expect(lines.dropFirst(2).first == "          and 2 more: reachd incidents")
        #expect(lines.filter { $0.hasPrefix("Name of ") }.map { $0.dropFirst(8).prefix(1) } == ["c", "d", "b", "a"])
        #expect(
            lines.suffix(4) == [
                "LAST EVENTS", "10:58:43  eth0 went down: 3 targets unreachable",
                "10:58:44  eth0 went down: 4 targets unreachable",
                "10:58:45  eth0 went down: 5 targets unreachable",
            ]
        )
        #expect(
            server.requests.events.contains { $0.contains("follow=false") && $0.contains("Last-Event-ID: ab-1\r\n") }
        )
    }

    @Test("the forms and orders of the list of targets")
    func orders() throws {
        let server = try canned()
        let url = ["--url", server.url]
        #expect(try Reachd.run(["targets", "-o", "name"] + url).lines == ["mail", "nas"])
        #expect(try Reachd.run(["targets", "-o", "name", "--sort", "latency"] + url).lines == ["nas", "mail"])
        #expect(try Reachd.run(["targets", "-o", "name", "--sort", "since"] + url).lines == ["mail", "nas"])
        #expect(try Reachd.run(["targets", "-o", "json"] + url).output == Self.targets + "\n")
        let wide = try CannedServer { _ in
            .json(
                #"{"targets":[{"id":"b","state":"up","host":"b.example","probe":{"type":"tcp","interval_seconds":300},"#
                    + #""origin":"api","last_result":{"at":"2026-11-22T11:02:00.500Z","success":true}},"#
                    + #"{"id":"a","state":"down"}],"total":2,"generated_at":"2026-11-22T11:02:05.500Z"}"#
            )
        }
        #expect(
            try Reachd.run(["targets", "-o", "wide", "--sort", "name", "--url", wide.url]).lines == [
                "TARGET  STATE  ADDRESS    PROBE            LAST  ORIGIN", "a       down",
                "b       up     b.example  tcp every 5 min   5 s  api",
            ]
        )
        for refused in [
            ["-o", "wide", "--ids"], ["-o", "name", "--json"], ["--json", "--sort", "name"], ["-o", "yaml"],
        ] {
            #expect(try Reachd.run(["targets"] + refused + url).status == 2)
        }
    }

    @Test("a target that waits for its first heartbeat is not in trouble")
    func waiting() throws {
        let targets = #"""
            {"targets":[{"id":"job","state":"unknown","since":"2026-11-22T10:00:00.000Z","reason":{"code":"not_probed",\#
            "detail":"Waiting for the first heartbeat."}},{"id":"odd","state":"unknown","cause":"self",\#
            "reason":{"code":"not_probed","detail":"x"}}],"total":2}
            """#
        let status = #"{"service":{},"summary":{"total":2,"unknown":2}}"#
        let server = try CannedServer { path in .json(path.hasPrefix("/status") ? status : targets) }
        let result = try Reachd.run(["status", "--url", server.url])
        #expect(!result.output.contains("job"), "\(result.output)")
        #expect(result.output.contains("odd"))
    }

    @Test("a table as wide as COLUMNS, uncut without it; control characters are escaped")
    func table() throws {
        let server = try canned()
        let narrow = try Reachd.run(["targets", "--url", server.url], environment: ["COLUMNS": "60"])
        #expect(
            narrow.lines == [
                "TARGET  STATE     FOR  LATENCY  WHY",
                "mail    down    2 min           1 of 2 results for up; no a…", "nas     up     2 days  12.3 ms",
                "東京    up        0 s   850 µs",
            ]
        )
        let wide = try Reachd.run(["targets", "--url", server.url])
        #expect(wide.output.contains(#"no answer\u{1b}[2J within 5 seconds\u{a}and a line (cause: target)"#))
        #expect(!wide.output.contains("\u{1B}"))
    }

    @Test("in 80 columns the reason is shown, and not the ids and groups beside long names")
    func reasons() throws {
        let server = try CannedServer { _ in
            .json(
                #"{"targets":[{"id":"recommendations-api","name":"Recommendations API","group":"Services","state":"unreachable","#
                    + #""since":"2026-11-22T11:00:00.000Z","reason":{"code":"no_carrier","detail":"eth0 has no carrier"}}],"total":1,"#
                    + #""generated_at":"2026-11-22T11:02:05.500Z"}"#
            )
        }
        let table = try Reachd.run(["targets", "--url", server.url], environment: ["COLUMNS": "80"]).lines
        #expect(
            table == [
                "TARGET               GROUP     STATE          FOR  WHY",
                "Recommendations API  Services  unreachable  2 min  eth0 has no carrier",
            ]
        )
    }

    @Test("long names share the line with the others, and the widest gives way first")
    func shares() throws {
        let group = String(repeating: "g", count: 60)
        let server = try CannedServer { _ in
            .json(
                #"{"targets":[{"id":"\#(group)","state":"down","since":"2026-11-22T11:00:00.000Z","#
                    + #""reason":{"code":"timeout","detail":"no answer"},"cause":"target"}],"total":1,"#
                    + #""generated_at":"2026-11-22T11:02:05.500Z"}"#
            )
        }
        let narrow = try Reachd.run(["targets", "--url", server.url], environment: ["COLUMNS": "60"])
        #expect(
            narrow.lines == [
                "TARGET               STATE    FOR  WHY",
                String(repeating: "g", count: 18) + "…  down   2 min  no answer (cause: target)",
            ]
        )
        for columns in [40, 50, 60, 80] {
            let table = try Reachd.run(["targets", "--url", server.url], environment: ["COLUMNS": "\(columns)"])
            #expect(table.lines.allSatisfy { $0.count <= columns }, "\(table.output)")
        }
    }

    @Test("a file of authorities that cannot be used is not the server's fault")
    func authorities() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path(of: "nope.crt")
        let url = ["--url", "https://127.0.0.1:1"]
        let unread = try Reachd.run(["status", "--cacert", missing] + url)
        #expect(unread.status == 2)
        #expect(
            unread.output == "reachd: \(missing) cannot be read: open(\(missing)): No such file or directory\n"
        )
        let served = try SelfSignedCertificate("served", in: folder)
        try Command.run(["cp", served.path, folder.path(of: "s.pem")])
        try Command.run(["cp", served.key, folder.path(of: "s.key")])
        let server = try TLSServer(in: folder.path, "s", [])
        let garbage = try folder.write("no certificate", to: "garbage.crt")
        let useless = try Reachd.run(["status", "--cacert", garbage, "--url", "https://127.0.0.1:\(server.port)"])
        #expect(useless.status == 2)
        #expect(useless.output.hasPrefix("reachd: the file of --cacert contains no usable certificate ("))
    }

    @Test("an empty condition would never fail: it is refused", arguments: ["", "down,", ",", "down,,network"])
    func emptyCondition(text: String) throws {
        let result = try Reachd.run(["status", "--fail-on", text, "--url", "http://127.0.0.1:1"])
        #expect(result.status == 2)
        #expect(
            result.output.hasPrefix("Error: --fail-on takes down, unreachable, degraded, unknown, network, not ''")
        )
    }

    @Test("--json prints the body unchanged, --ids only valid ids, because shells evaluate them")
    func forms() throws {
        let server = try canned()
        #expect(try Reachd.run(["status", "--json", "--url", server.url]).output == Self.status + "\n")
        #expect(try Reachd.run(["targets", "--json", "--url", server.url]).output == Self.targets + "\n")
        #expect(try Reachd.run(["targets", "--ids", "--url", server.url]).lines == ["mail", "nas"])
        let hostile = try CannedServer { _ in
            .json(#"{"targets":[{"id":"$(id)"},{"id":"`id`"},{"id":"a b"},{"id":"ok"}],"total":4}"#)
        }
        #expect(try Reachd.run(["targets", "--ids", "--url", hostile.url]).lines == ["ok"])
    }

    @Test("filters are sent to the service")
    func filters() throws {
        let server = try canned()
        let arguments = ["--state", "down", "--state", "unknown", "--group", "a b", "--tag", "k:v&w", "-q", "x"]
        _ = try Reachd.run(["targets", "--json", "--url", server.url] + arguments)
        let line = try #require(server.requests.events.first)
        #expect(
            line.hasPrefix(
                "GET /targets?state=down&state=unknown&group=a%20b&tag=k%3Av%26w&q=x&limit=10000 HTTP/1.1\r\n"
            )
        )
    }

    @Test("all pages are read, and a repeated cursor ends the list")
    func pages() throws {
        let server = try CannedServer { path in
            let number = path.contains("cursor=1.2") ? 2 : path.contains("cursor=1.1") ? 1 : 0
            return .json(#"{"targets":[{"id":"t\#(number)"}],"total":3,"next":"1.\#(min(number + 1, 2))"}"#)
        }
        #expect(try Reachd.run(["targets", "--ids", "--url", server.url]).lines == ["t0", "t1", "t2"])
    }

    @Test("a service that always has another page is left, after 1,000")
    func endlessPages() throws {
        let server = try CannedServer { path in
            let number = path.split(separator: "cursor=1.").last.flatMap { Int($0) } ?? 0
            return .json(#"{"targets":[{"id":"t\#(number)"}],"total":3,"next":"1.\#(number + 1)"}"#)
        }
        let result = try Reachd.run(["targets", "--ids", "--url", server.url])
        #expect(result.status == 76 && result.output.contains("more than 1000 pages"), "\(result.output.suffix(300))")
        #expect(server.requests.events.count == 1_001)
    }

    @Test("colour on a terminal alone, and not with NO_COLOR; always and never are obeyed")
    func color() throws {
        let server = try canned()
        let line = "\(Reachd.path) targets --url \(server.url)"
        func run(_ words: String, _ environment: [String: String] = [:]) throws -> String {
            let variables = Reachd.cleanEnvironment.merging(["TERM": "xterm"]) { $1 }.merging(environment) { $1 }
            return try Command.run(["script", "-qec", words, "/dev/null"], environment: variables)
        }
        #expect(try run(line).contains("\u{1B}[31mdown\u{1B}[0m"))
        #expect(try !run(line, ["NO_COLOR": "1"]).contains("\u{1B}["))
        #expect(try !run(line, ["TERM": "dumb"]).contains("\u{1B}["))
        #expect(try !run(line + " --color never").contains("\u{1B}["))
        #expect(try run(line + " --color always", ["NO_COLOR": "1"]).contains("\u{1B}[31m"))
        #expect(try !Reachd.run(["targets", "--url", server.url]).output.contains("\u{1B}"))
        #expect(try Reachd.run(["targets", "--color", "always", "--url", server.url]).output.contains("\u{1B}[31m"))
    }

    @Test("JSON that a terminal could obey is escaped on a terminal, and as it is in a pipe")
    func hostileJSON() throws {
        let server = try CannedServer { _ in .json("{\"summary\":{\"total\":0},\"a\":\"\u{9B}31m\u{202E}\u{7F}\"}") }
        let words = "\(Reachd.path) status --json --url \(server.url)"
        let shown = try Command.run(["script", "-qec", words, "/dev/null"], environment: Reachd.cleanEnvironment)
        #expect(shown.contains(#""a":"\u009b31m\u202e\u007f""#))
        #expect(try Reachd.run(["status", "--json", "--url", server.url]).output.contains("\u{9B}31m\u{202E}\u{7F}"))
    }

    @Test("--fail-on exits with 1 when a condition holds, and lists the conditions")
    func failOn() throws {
        let service = try RunningService(
            "targets: [{id: a, address: 127.0.0.1}, {id: b, address: '203.0.113.1%nosuch0'}]"
        )
        while try service.get("/readyz").status != 200 {}
        let url = ["--url", "http://127.0.0.1:\(service.port)"]
        #expect(try Reachd.run(["status"] + url).status == 0)
        #expect(try Reachd.run(["status", "--fail-on", "down,degraded"] + url).status == 0)
        let failing = try Reachd.run(["status", "--fail-on", "down,unreachable"] + url)
        #expect(failing.status == 1)
        #expect(failing.output.contains("targets   2: 1 unreachable, 1 up"))
        #expect(failing.output.contains("(cause: local network)"))
        let typo = try Reachd.run(["status", "--fail-on", "unreachabel"] + url)
        #expect(typo.status == 2)
        #expect(typo.output.contains("did you mean unreachable?"))
    }

    @Test(
        "the service is found by --url, REACHD_URL, and the configuration that it was started with, base_path included"
    )
    func places() throws {
        let folder = try TemporaryFolder()
        let socket = "unix:\(folder.path(of: "s"))"
        let text = "base_path: /a\ntargets: [{id: up, address: 127.0.0.1}]\n"
        let service = try RunningService(text + "listen: ['127.0.0.1:0', '\(socket)']")
        let url = "http://127.0.0.1:\(service.port)/a"
        #expect(try Reachd.run(["targets", "--ids", "--url", url]).output == "up\n")
        #expect(try Reachd.run(["targets", "--ids", "--url", url + "/"]).output == "up\n")
        #expect(try Reachd.run(["targets", "--ids", "--url", "127.0.0.1:\(service.port)/a"]).output == "up\n")
        #expect(try Reachd.run(["targets", "--ids"], environment: ["REACHD_URL": url]).output == "up\n")
        // The first one is refused, the second one is the socket.
        let file = try folder.write(text + "listen: ['127.0.0.1:1', '\(socket)']", to: "a.yaml")
        #expect(try Reachd.run(["targets", "--ids", "--config", file]).output == "up\n")
        #expect(try Reachd.run(["targets", "--ids"], environment: ["REACHD_CONFIG": file]).output == "up\n")
        let root = try Reachd.run(["targets", "--url", "http://127.0.0.1:\(service.port)"])
        #expect(root.status == 2 || root.status == 76)
        #expect(try Reachd.run(["validate"], environment: ["REACHD_URL": url]).output.contains("warning") == false)
    }

    @Test("by TLS with the authority named, and not without")
    func secure() throws {
        let folder = try TemporaryFolder()
        let pair = try SelfSignedCertificate("served", in: folder)
        let tls = "tls: {cert_file: \(pair.path), key_file: \(pair.key)}"
        let service = try RunningService(
            "listen: {address: '127.0.0.1:0', \(tls)}\ntargets: [{id: up, address: 127.0.0.1}]"
        )
        let url = ["--url", "https://127.0.0.1:\(service.port)"]
        #expect(try Reachd.run(["targets", "--ids", "--cacert", pair.path] + url).output == "up\n")
        #expect(try Reachd.run(["targets", "--ids", "--insecure"] + url).output == "up\n")
        let refused = try Reachd.run(["targets", "--ids"] + url)
        #expect(refused.status == 69)
        #expect(refused.output.contains("is not trusted; pass its authority with --cacert"))
        // Of a configuration with TLS alone, the address that has it.
        let file = try folder.write("listen: {address: '127.0.0.1:\(service.port)', \(tls)}", to: "a.yaml")
        #expect(try Reachd.run(["targets", "--ids", "--config", file, "--cacert", pair.path]).output == "up\n")
    }

    @Test("a token comes from a file, and never from the command line")
    func token() throws {
        let folder = try TemporaryFolder()
        let secret = "a-secret-that-nobody-guesses"
        let digest = try Command.run(["sh", "-c", "printf %s \(secret) | sha256sum"]).prefix(64)
        let service = try RunningService("access: {tokens: [{name: r, digest: '\(digest)', scopes: [read]}]}")
        let file = try folder.write(secret + "\n", to: "token")
        let url = ["--url", "http://127.0.0.1:\(service.port)"]
        let without = try Reachd.run(["status"] + url)
        #expect(without.status == 77)
        #expect(without.output.contains("requires an access token; pass its file with --token-file or REACHD_"))
        #expect(try Reachd.run(["status", "--token-file", file] + url).status == 0)
        #expect(try Reachd.run(["status"] + url, environment: ["REACHD_TOKEN_FILE": file]).status == 0)
        let several = try folder.write("two words", to: "several")
        let refused = try Reachd.run(["status", "--token-file", several] + url)
        #expect(refused.status == 2)
        #expect(!refused.output.contains("words"))
    }

    @Test("a missing, slow or foreign service is reported with a hint")
    func nobody() throws {
        let nobody = try Reachd.run(["status", "--url", "http://127.0.0.1:1"])
        #expect(nobody.status == 69)
        #expect(
            nobody.output.hasPrefix(
                "reachd: no answer from reachd at http://127.0.0.1:1; start it with reachd serve"
            )
        )
        let silent = try SilentServer()
        let late = try Reachd.run(["status", "--url", "http://127.0.0.1:\(silent.port)", "--timeout", "100ms"])
        #expect(late.status == 69)
        #expect(late.output.contains("did not respond in time"))
        for body in ["<html>", "[1,2", "{\"a\":" + String(repeating: "[", count: 200)] {
            let server = try CannedServer { _ in .json(body) }
            #expect(try Reachd.run(["status", "--url", server.url]).status == 76)
            #expect(try Reachd.run(["targets", "--url", server.url]).status == 76)
        }
        let other = try CannedServer { _ in .json("not found", status: 404) }
        #expect(
            try Reachd.run(["targets", "--url", other.url]).output.contains(
                "is not reachd, or its base_path differs"
            )
        )
        let garbled = try CannedServer { _ in .bytes(Array("SSH-2.0-x\r\n".utf8)) }
        #expect(try Reachd.run(["status", "--url", garbled.url]).status == 76)
        #expect(try Reachd.run(["status", "--url", "gopher://x"]).status == 2)
        let folder = try TemporaryFolder()
        let faulty = try folder.write("lisen: 1", to: "a.yaml")
        #expect(try Reachd.run(["status", "--config", faulty]).status == 78)
    }

    @Test("a body without an end is not read to it")
    func endless() throws {
        let server = try CannedServer { _ in .endless }
        let result = try Reachd.run(["status", "--timeout", "60s", "--url", server.url])
        #expect(result.status == 76)
        #expect(result.output.contains("larger than 67108864 bytes"))
    }

    @Test("a closed pipe is not an error")
    func brokenPipe() throws {
        let server = try canned()
        let words =
            "\(Reachd.path) targets --url \(server.url) | true; \(Reachd.path) targets --url \(server.url) | head -1"
        let output = try Command.run(["sh", "-c", words], environment: Reachd.cleanEnvironment)
        #expect(output == "TARGET  GROUP  STATE     FOR  LATENCY  WHY\n")
    }
}
