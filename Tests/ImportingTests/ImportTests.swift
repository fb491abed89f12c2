// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema
import TestSupport
import Testing

@testable import Configuration
@testable import Importing

@Suite("Other programs' configurations") struct ImportTests {
    private static let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Fixtures/"

    private func imported(_ name: String) throws -> ImportedConfiguration {
        try ImportedConfiguration(file: Self.folder + name)
    }

    private func imported(text: String, _ format: ForeignFormat? = nil) throws(ConfigurationDiagnostics)
        -> ImportedConfiguration
    {
        try ImportedConfiguration(Array(text.utf8), path: "theirs.yml", format: format)
    }

    private func words(_ imported: ImportedConfiguration) -> [String] {
        imported.notes.map { "\($0.position?.line ?? 0): \($0.words)" }
    }

    // MARK: blackbox_exporter

    @Test("modules of every prober are converted, and losses are noted with their line")
    func blackbox() throws {
        let imported = try imported("blackbox.yml")
        #expect(imported.formats == [.blackbox] && imported.count == 11)
        let modules = try load(imported.text).probeModules
        #expect(
            modules.prefix(imported.count).map(\.name) == [
                "http_2xx", "http_login", "http_secret", "smtp_starttls", "irc_banner", "ssh_banner", "ssh-banner",
                "tls_connect", "icmp_ttl5", "dns_soa", "grpc_orders",
            ]
        )
        let notes = words(imported)
        let expected = [
            "2: environment variables are read: GRPC_ORDERS_X_TEAM;",
            "40: the module 'http_secret': put the value of http.basic_auth.password in the file /run/secrets/http_secret-password",
            "44: the module 'http_secret': 'fail_if_body_json_matches_cel'",
            "46: the module 'http_lookahead' is left out",
            "62: the module 'smtp_starttls': `starttls: smtp` replaces",
            "73: the module 'irc_banner': reachd cannot send matched text",
            "79: the module 'ssh banner' is renamed to ssh-banner", "100: the module 'dns_soa'",
            "101: the module 'dns_soa'",
            "102: the module 'grpc_orders': put the value of grpc.metadata.x-team in the environment variable",
            "105: the module 'socket' is left out",
        ]
        for start in expected { #expect(notes.contains { $0.hasPrefix(start) }, "\(start)") }
        #expect(notes.count == expected.count + 1 && notes[1].contains("IPv6"))
        // A password is nobody's business.
        #expect(!imported.text.contains("hunter2") && !notes.contains { $0.contains("hunter2") })
    }

    @Test("values that may be secrets are read from files and variables")
    func blackboxSecrets() throws {
        let imported = try imported(
            text: """
                modules:
                  api.v2:
                    prober: http
                    http:
                      headers: { Accept: text/plain, Cookie: "id=S3CRET", X-Api-Key: S3CRET, User-Agent: probe }
                      body: "user=probe&password=S3CRET"
                      authorization: { credentials: S3CRET }
                  api_v2:
                    prober: http
                    http: { headers: { X-Api-Key: S3CRET2 }, bearer_token: S3CRET, body: "ping" }
                  orders:
                    prober: grpc
                    grpc: { metadata: { authorization: [ "Bearer S3CRET" ] } }
                """
        )
        let notes = words(imported).filter { !$0.contains("IPv6") }
        #expect(
            notes == [
                "1: environment variables are read: API_V2_COOKIE, API_V2_X_API_KEY, API_V2_X_API_KEY_2, "
                    + "ORDERS_AUTHORIZATION; an unset one is empty",
                "2: the module 'api.v2': put the value of http.headers.Cookie in the environment variable API_V2_COOKIE",
                "2: the module 'api.v2': put the value of http.headers.X-Api-Key in the environment variable API_V2_X_API_KEY",
                "2: the module 'api.v2': http.body is written as it is; check whether it contains a secret",
                "2: the module 'api.v2': put the value of http.authorization.credentials in the file /run/secrets/api-v2-token",
                "8: the module 'api_v2': put the value of http.headers.X-Api-Key in the environment variable API_V2_X_API_KEY_2",
                "8: the module 'api_v2': put the value of http.bearer_token in the file /run/secrets/api_v2-token",
                "11: the module 'orders': put the value of grpc.metadata.authorization in the environment variable "
                    + "ORDERS_AUTHORIZATION",
            ]
        )
        // The body is written as it is.
        #expect(imported.text.split(separator: "S3CRET", omittingEmptySubsequences: false).count == 2)
        let values = [
            "API_V2_COOKIE": "c", "API_V2_X_API_KEY": "k", "API_V2_X_API_KEY_2": "l", "ORDERS_AUTHORIZATION": "m",
        ]
        let modules = try load(imported.text, environment: values).probeModules
        guard case .http(let first) = modules[0].template.kind, case .http(let second) = modules[1].template.kind else {
            return #expect(Bool(false))
        }
        let headers = first.headers.map { "\($0.name): \($0.value)" }
        #expect(headers.sorted() == ["Accept: text/plain", "Cookie: c", "User-Agent: probe", "X-Api-Key: k"])
        #expect(second.headers.map(\.value) == ["l"])
        // Nothing need be set for the file to be valid.
        _ = try load(imported.text)
    }

    @Test(
        "a timeout of nothing is none, and the scrape's counts",
        arguments: [("", false), ("timeout: 0s", false), ("timeout: 0", false), ("timeout: 2s", true)]
    )
    func blackboxTimeout(line: String, isSaid: Bool) throws {
        let imported = try imported(text: "modules:\n  ping:\n    prober: icmp\n    \(line)\n", .blackbox)
        #expect(!words(imported).contains { $0.contains("timeout") })
        #expect(try load(imported.text).probeModules.first?.hasTimeout == isSaid)
    }

    @Test("a converted HTTP module has the same verdicts as the original")
    func blackboxHTTP() throws {
        let modules = try load(imported("blackbox.yml").text).probeModules
        let template = modules[1].template
        guard case .http(let http) = template.kind else { return #expect(Bool(false)) }
        #expect(template.timeout == .milliseconds(1_500) && template.family == .ipv6)
        #expect(http.method == "POST" && http.redirects == 0 && http.version == .http1 && http.bodyLimit == 2 << 20)
        #expect(http.body == Array(#"{"price": "$5", "id": "${id}"}"#.utf8))
        #expect(
            Set(http.headers.map { "\($0.name): \($0.value)" }) == [
                "Host: shop.example.org", "Content-Type: application/json",
            ]
        )
        #expect(http.proxy?.host == .name("proxy.example.org") && http.proxy?.port == 3_128)
        #expect(http.tls.authorityFile == "/etc/ssl/certs/internal.pem" && http.tls.minimumVersion == .tls12)
        #expect(
            http.expectation.isSecure == true && http.expectation.refusesLargerBody && http.expectation.body.count == 3
                && http.expectation.headers.count == 2
        )
        #expect(http.expectation.statuses == HTTPStatusRanges("200,204"))
        guard case .http(let plain) = modules[0].template.kind else { return #expect(Bool(false)) }
        #expect(
            plain.redirects == 10 && plain.version == .any && plain.expectation.statuses == HTTPStatusRanges("200-299")
        )
    }

    @Test("dialogues, STARTTLS, echo requests and questions")
    func blackboxOthers() throws {
        let modules = Dictionary(
            uniqueKeysWithValues: try load(imported("blackbox.yml").text).probeModules.map { ($0.name, $0.template) }
        )
        guard case .tcp(let smtp)? = modules["smtp_starttls"]?.kind, case .tcp(let irc)? = modules["irc_banner"]?.kind,
            case .icmp(let icmp)? = modules["icmp_ttl5"]?.kind, case .dns(let dns)? = modules["dns_soa"]?.kind,
            case .tls(let tls)? = modules["tls_connect"]?.kind, case .grpc(let grpc)? = modules["grpc_orders"]?.kind
        else { return #expect(Bool(false)) }
        #expect(
            smtp.startTLS?.applicationProtocol == .smtp && smtp.dialogue.count == 3
                && smtp.dialogue[0] == .send("EHLO prober\n")
        )
        #expect(irc.dialogue.count == 2)
        #expect(
            icmp.timeToLive == 5 && icmp.size == 100 && icmp.dontFragment
                && modules["icmp_ttl5"]?.source == IPAddress("192.0.2.7")
        )
        #expect(dns.type == .soa && dns.transport == .tcp && !dns.recursionDesired && dns.minimumAnswers == 0)
        #expect(dns.expectedCodes.count == 2 && dns.requiredAnswers.count == 1 && dns.refusedAnswers.count == 1)
        #expect(tls.tls.serverName == "db.example.org" && grpc.service == "shop.Orders" && grpc.tls != nil)
    }

    @Test("a STARTTLS dialogue with carriage returns is STARTTLS; one of an unknown form is a comment")
    func carriageReturns() throws {
        let imported = try imported(
            text: """
                modules:
                  smtp:
                    prober: tcp
                    tcp:
                      preferred_ip_protocol: ip4
                      query_response:
                        - expect: "^220 ([^ ]+) ESMTP (.+)$"
                        - send: "EHLO prober\\r"
                        - expect: "^250-STARTTLS"
                        - send: "STARTTLS\\r"
                        - expect: "^220"
                        - starttls: true
                        - send: "EHLO prober\\r"
                        - expect: "^250-AUTH\\r"
                        - send: "QUIT\\r"
                  odd:
                    prober: tcp
                    tcp:
                      preferred_ip_protocol: ip4
                      query_response: [ { expect: hello }, { send: "TLS PLEASE" }, { starttls: true } ]
                """
        )
        // The exporter's own modules follow.
        let modules = try load(imported.text).probeModules
        guard imported.count == 1, case .tcp(let smtp) = modules[0].template.kind else {
            Issue.record("\(imported.text)")
            return
        }
        #expect(smtp.startTLS?.applicationProtocol == .smtp && smtp.dialogue.count == 3)
        #expect(smtp.dialogue.first == .send("EHLO prober\r\n"))
        #expect(smtp.dialogue[1] == .expect(try ProbePattern("^250-AUTH\\r")))
        #expect(imported.text.contains("#  - name: odd\n"))
        #expect(
            words(imported).contains {
                $0.hasPrefix("16: the module 'odd' is written as a comment: its form of STARTTLS is not supported")
            }
        )
    }

    @Test(
        "rules for records that cannot be carried over make a module a comment",
        arguments: [
            #"validate_answer_rrs: { fail_if_not_matches_regexp: [ "192.0.2.1" ] }"#,
            #"validate_answer_rrs: { fail_if_all_match_regexp: [ "192.0.2.1" ] }"#,
            #"validate_answer_rrs: { fail_if_none_matches_regexp: [ ".*\\tIN\\tA\\t192.0.2.1" ] }"#,
            #"validate_answer_rrs: { fail_if_matches_regexp: [ ".*\tIN\tA\t127.*" ] }"#,
            #"validate_authority_rrs: { fail_if_matches_regexp: [ "x" ] }"#,
            #"validate_additional_rrs: { fail_if_not_matches_regexp: [ "x" ] }"#,
        ]
    )
    func records(rule: String) throws {
        let imported = try imported(
            text: """
                modules:
                  plain: { prober: icmp }
                  dns:
                    prober: dns
                    dns:
                      query_name: a.test
                      preferred_ip_protocol: ip4
                      \(rule)
                """
        )
        #expect(imported.count == 1)
        #expect(try load(imported.text).probeModules.first?.name == "plain")
        #expect(imported.text.contains("#  - name: dns\n"))
        #expect(imported.summary == "1 of 2 modules imported, 1 more as comments")
        #expect(
            words(imported).contains { $0.hasPrefix("3: the module 'dns' is written as a comment: its rule validate_") }
        )
    }

    @Test("one of several patterns is enough where blackbox_exporter says so") func anyRecord() throws {
        let imported = try imported(
            text: """
                modules:
                  dns:
                    prober: dns
                    dns:
                      query_name: a.test
                      validate_answer_rrs: { fail_if_none_matches_regexp: [ "^192", "1$" ] }
                """
        )
        guard case .dns(let dns)? = try load(imported.text).probeModules.first?.template.kind else {
            Issue.record("\(imported.text)")
            return
        }
        #expect(dns.requiredAnswers == [try ProbePattern("(?:^192)|(?:1$)")])
    }

    // MARK: Gatus

    @Test("an endpoint none of whose conditions is supported is a comment") func withoutConditions() throws {
        let imported = try imported(
            text: """
                endpoints:
                  - { name: lost, url: "https://a.test/", conditions: [ "len([BODY].list) > 0", "[NEWS] == 1" ] }
                  - { name: kept, url: "https://b.test/", conditions: [ "len([BODY].list) > 0", "[STATUS] == 200" ] }
                  - { name: bare, url: "https://c.test/" }
                """
        )
        #expect(try load(imported.text).targets.map(\.id) == ["kept", "bare"])
        #expect(
            words(imported).contains {
                $0.hasPrefix("2: the endpoint lost is written as a comment: none of its conditions can be carried over")
            }
        )
    }

    @Test("endpoints of every kind become targets with their expectations")
    func gatus() throws {
        let imported = try imported("gatus.yaml")
        #expect(imported.formats == [.gatus] && imported.count == 13)
        let variables = ["DEEP": "1", "PROBE_USER": "me", "TOKEN": "t"]
        let targets = try load(imported.text, environment: variables).targets
        #expect(
            targets.map(\.id) == [
                "core_front-page", "core_front-page-2", "any-status", "cache", "telnet-must-be-closed", "router",
                "mail", "imaps",
                "names", "orders", "pinned", "jobs_backup", "never",
            ]
        )
        #expect(
            targets.map { $0.probe?.type } == [
                "http", "http", "http", "tcp", "tcp", "icmp", "tls", "tls", "dns", "grpc", "http", "push",
                "push",
            ]
        )
        let first = targets[0]
        #expect(
            first.name == "front page" && first.group == "core" && first.tags == ["team": "web"]
                && first.maintenance.count == 1
        )
        #expect(
            first.probe?.verdict.fall == 5 && first.probe?.verdict.rise == 3
                && first.probe?.verdict.interval == .seconds(300)
        )
        guard case .ask(let request)? = first.probe?.method, case .http(let http) = request.kind else {
            return #expect(Bool(false))
        }
        #expect(
            http.url.description == "https://example.org/health?x=1" && http.method == "POST" && http.redirects == 0
        )
        #expect(http.body == Array(#"{"cost": "$5", "user": "me"}"#.utf8))
        #expect(
            request.latencyBound == .milliseconds(300) && request.expiry.certificate == 2
                && request.timeout == .seconds(3)
        )
        #expect(http.expectation.statuses == HTTPStatusRanges("200,204") && http.expectation.json.count == 4)
        func statuses(_ index: Int) -> HTTPStatusRanges? {
            guard case .ask(let request)? = targets[index].probe?.method, case .http(let http) = request.kind else {
                return nil
            }
            return http.expectation.statuses
        }
        #expect(statuses(1) == HTTPStatusRanges("200-399") && statuses(2) == HTTPStatusRanges("100-599"))
        #expect(statuses(10) == HTTPStatusRanges("100-499,501-599"))
        guard case .ask(let telnet)? = targets[4].probe?.method, case .ask(let pinned)? = targets[10].probe?.method
        else {
            return #expect(Bool(false))
        }
        #expect(telnet.expectsFailure && pinned.expectedAddresses.count == 2)
        #expect(targets[5].probe?.verdict.interval == .seconds(10))
    }

    @Test("losses of an endpoint are noted with their line")
    func gatusNotes() throws {
        let notes = words(try imported("gatus.yaml"))
        let expected = [
            "2: settings of Gatus itself are not carried over: metrics, storage",
            "2: environment variables are read: DEEP, PROBE_USER, TOKEN;",
            "21: the endpoint core/front page: a violation of", "22: the endpoint core/front page: a violation of",
            "23: the endpoint core/front page: the condition '[DOMAIN_EXPIRATION]",
            "29: the endpoint core/front page: the condition 'len(",
            "30: the endpoint core/front page: the condition '[BODY].a",
            "2: 1 endpoint has alerts of the type slack",
            "40: the endpoint off is written as a comment: it is not enabled",
            "53: the endpoint router: a violation of",
            "56: the endpoint mail: a violation of", "68: the endpoint chat is left out: ",
            "74: the external endpoint jobs/backup",
            "76: the external endpoint jobs/backup: the token",
            "78: the external endpoint never: without heartbeat.interval", "78: the external endpoint never: it must",
            "79: the external endpoint never: the token",
        ]
        for start in expected { #expect(notes.contains { $0.hasPrefix(start) }, "\(start)") }
        #expect(notes.count == expected.count, "\(notes)")
        #expect(!notes.contains { $0.contains("secret") })
    }

    @Test(
        "conditions",
        arguments: [
            ("[STATUS] == 200", "STATUS", "", "==", ["200"]),
            ("[STATUS] == any(200, 429)", "STATUS", "", "==", ["200", "429"]),
            ("[BODY].a[0].b != x y", "BODY", ".a[0].b", "!=", ["x y"]),
            ("len([BODY].a) >= 5", "BODY", ".a", ">=", ["5"]),
            ("[BODY] == pat(*a == b*)", "BODY", "", "==", ["*a == b*"]),
            ("[RESPONSE_TIME] < 500", "RESPONSE_TIME", "", "<", ["500"]),
        ]
    )
    func conditions(text: String, subject: String, path: String, comparison: String, values: [String]) throws {
        let condition = try #require(GatusCondition(text))
        #expect(condition.subject == subject && condition.path == path && condition.comparison == comparison)
        #expect(condition.values == values)
    }

    @Test(
        "and invalid ones",
        arguments: [
            "", "[STATUS]", "200 == [STATUS]", "[STATUS]==200", "[A] == [B]", "[A] == any()", "== ==", "[A] ~ 1",
        ]
    )
    func noConditions(text: String) {
        #expect(GatusCondition(text) == nil)
    }

    @Test("durations of Go")
    func durations() {
        for (text, milliseconds) in [
            ("1h30m", 5_400_000), ("1.5s", 1_500), ("300ms", 300), ("0", 0), ("2d", 172_800_000), ("1us", 0),
        ] {
            #expect(GoDuration.milliseconds(text) == milliseconds)
        }
        for text in ["", "5", "s", "1x", "1h30", "..s", "9999999999h", "-1s"] {
            #expect(GoDuration.milliseconds(text) == nil)
        }
    }

    // MARK: What cannot be used

    @Test("a file of an unknown format, or without anything to convert")
    func unusable() {
        for text in [
            "", "a: 1", "kind: ServiceMonitor\nspec: { endpoints: [ { port: web } ] }",
            "- 1", "modules: {}", "endpoints: []", "modules: { a: { prober: unix } }", "a: [", "\u{1}",
        ] {
            #expect(throws: ConfigurationDiagnostics.self, "\(text)") { try imported(text: text) }
        }
        #expect(throws: ConfigurationDiagnostics.self) { try imported(text: "endpoints: []", .blackbox) }
        #expect(throws: ConfigurationDiagnostics.self) { try ImportedConfiguration(file: Self.folder + "nothing.yml") }
    }

    @Test("when nothing can be converted, all notes give the reason")
    func nothingLeft() throws {
        let text = """
            alerting: { slack: { webhook-url: x } }
            endpoints:
              - { name: a, url: "http://<leantime-url>", conditions: [ "[STATUS] == 200" ] }
              - { name: b, url: "wss://example.org/", conditions: [ "[CONNECTED] == true" ] }
            """
        let faults = #expect(throws: ConfigurationDiagnostics.self) { try imported(text: text) }
        let lines = try #require(faults).diagnostics.map(\.description)
        // Not what is said of the alerts, which is no reason.
        #expect(lines.count == 3)
        for (number, word) in [(3, "endpoint a"), (4, "endpoint b")] {
            #expect(lines.contains { $0.hasPrefix("theirs.yml:\(number):") && $0.contains(word) }, "\(lines)")
        }
        for text in ["modules: {}", "modules: [ a ]", "endpoints: []", "scrape_configs: []"] {
            let faults = #expect(throws: ConfigurationDiagnostics.self) { try imported(text: text) }
            #expect(
                faults?.description.contains("the file has no modules, no endpoints, no jobs and no monitors") == true,
                "\(text)"
            )
        }
        #expect(lines.last?.contains("no module, endpoint, target or monitor of the file can be imported") == true)
    }

    @Test("hidden addresses of Gatus stay hidden, and other settings of `ui` are noted")
    func hidden() throws {
        let text = """
            endpoints:
              - { name: a, group: g, url: "https://a.test/?token=x", ui: { hide-url: true, hide-errors: true } }
              - { url: "https://b.test/", ui: { hide-hostname: true } }
              - { name: c, url: "https://c.test/", ui: { hide-url: false, badge: { response-time: { thresholds: [ 1 ] } } } }
              - { name: d, url: "https://d.test/" }
            """
        let imported = try imported(text: text, .gatus)
        let targets = try load(imported.text).targets
        #expect(targets.map(\.hidesAddress) == [true, true, false, false])
        #expect(targets.allSatisfy { !$0.id.contains("b.test") })
        let notes = words(imported)
        for start in [
            "2: the endpoint g/a: hide-url becomes hide_address",
            "2: the endpoint g/a: ui.hide-errors is not carried over",
            "3: the endpoint without a name: hide-hostname becomes hide_address",
            "4: the endpoint c: ui.badge is not carried over",
        ] {
            #expect(notes.contains { $0.hasPrefix(start) }, "\(start): \(notes)")
        }
    }

    @Test("regular expressions of Go are converted if possible, otherwise named with their line")
    func expressions() throws {
        let text = #"""
            modules:
              pop3s:
                prober: tcp
                tcp: { tls: true, query_response: [ { expect: "^+OK" } ] }
              web:
                prober: http
                http:
                  fail_if_body_not_matches_regexp: [ "^ok$", "(?i)fine", "[[:word:]]+?" ]
                  fail_if_header_matches: [ { header: Server, regexp: '^Apache/1' } ]
              greek:
                prober: http
                http: { fail_if_body_matches_regexp: [ '\p{Greek}' ] }
            """#
        let imported = try imported(text: text, .blackbox)
        #expect(imported.count == 2)
        #expect(try load(imported.text).probeModules.prefix(2).map(\.name) == ["pop3s", "web"])
        #expect(imported.text.contains("(?-m)^ok$") && imported.text.contains("^+OK"))
        let notes = words(imported)
        #expect(
            notes.contains { $0.hasPrefix("4: the module 'pop3s'") && $0.contains("an anchor is repeated") },
            "\(notes)"
        )
        #expect(notes.contains { $0.contains("the module 'greek' is left out") && $0.contains(#"\p"#) }, "\(notes)")
    }

    @Test("random input: the output is valid, and nothing traps", arguments: ["blackbox.yml", "gatus.yaml"])
    func fuzz(name: String) throws {
        let original = try BoundedFile.read(Self.folder + name, maximum: 1 << 20)
        var random = SeededGenerator(seed: 5)
        let pieces = [
            "\"", "'", ":", "[", "]", "{", "}", "$", "${", "\n", " ", "-", "\\", "*", "&a ", "0", "é", "\u{0}", "true",
            "any(",
        ]
        var valid = 0
        for _ in 0..<600 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: place)
                default: bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            guard let imported = try? ImportedConfiguration(bytes, path: "f") else { continue }
            valid += 1
            var names: [String: String] = [:]
            for fault in faults(imported.text, environment: names) where fault.code == .unsetVariable {
                // What was a variable before the file was broken is another one now.
                let words = fault.words.split(separator: " ")
                if let index = words.firstIndex(of: "variable") { names[String(words[index + 1].dropLast())] = "x" }
            }
            let left = faults(imported.text, environment: names)
            #expect(left.isEmpty, "\(left)")
        }
        #expect(valid > 100)
    }

    @Test("texts are written so that they are read back as they were")
    func quoting() throws {
        var random = SeededGenerator(seed: 9)
        let scalars: [Unicode.Scalar] = [
            "\"", "\\", "\n", "\t", "$", "{", "}", "'", ":", "#", "-", " ", "a", "é", "\u{85}", "\u{2028}", "\u{1F600}",
            "~", "%", "@", "!",
        ]
        for _ in 0..<1_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1..<10, using: &random) {
                text.append(scalars.randomElement(using: &random) ?? "x")
            }
            let body = String(text)
            let probe = YAMLText.mapping([("type", .word("http")), ("url", .text("http://a/")), ("body", .text(body))])
            let document = YAMLText.document([("targets", .list([.mapping([("probe", probe)])]))])
            guard case .ask(let request)? = try load(document).targets.first?.probe?.method,
                case .http(let http) = request.kind
            else {
                Issue.record("no probe")
                continue
            }
            #expect(http.body == Array(body.utf8), "\(document)")
        }
    }
}
