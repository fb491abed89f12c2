// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Testing

@testable import Configuration
@testable import Importing

@Suite("Gatus' meanings") struct GatusTests {
    private func imported(_ text: String) throws -> ImportedConfiguration {
        try ImportedConfiguration(Array(text.utf8), path: "gatus.yaml", format: .gatus)
    }

    private func request(_ target: TargetSettings?) throws -> ProbeRequest {
        guard case .ask(let request)? = target?.probe?.method else { throw ConfigurationDiagnostics([]) }
        return request
    }

    private func conditions(_ conditions: [String], url: String = "https://example.org/", _ more: String = "") throws
        -> (ProbeRequest, notes: [String])
    {
        let lines = conditions.map { "      - \"\($0)\"\n" }.joined()
        let imported = try imported("endpoints:\n  - url: \(url)\n\(more)    conditions:\n\(lines)")
        return (try request(load(imported.text).targets.first), imported.notes.map(\.words))
    }

    // MARK: Conditions

    @Test("of several bounds the stricter one is kept, in whatever order they come")
    func bounds() throws {
        let bounds = [
            "[CERTIFICATE_EXPIRATION] > 240h", "[CERTIFICATE_EXPIRATION] > 12h", "[RESPONSE_TIME] < 100",
            "[RESPONSE_TIME] < 900",
        ]
        for conditions in [bounds, bounds.reversed()] {
            let (request, notes) = try self.conditions(conditions)
            #expect(request.expiry.certificate == 10 && request.latencyBound == .milliseconds(100))
            #expect(!notes.contains { $0.contains("rounded") })
        }
    }

    @Test("a certificate's limit that is rounded up to days is noted, where it counts")
    func roundedDays() throws {
        let (request, notes) = try conditions(["[CERTIFICATE_EXPIRATION] > 30h", "[CERTIFICATE_EXPIRATION] > 5h"])
        #expect(request.expiry.certificate == 2)
        #expect(notes.filter { $0.contains("rounded up to 2") }.count == 1)
    }

    @Test("addresses, answers and response codes must fulfil every condition, not the last one")
    func sets() throws {
        let (request, notes) = try conditions([
            "[IP] == any(192.0.2.1, 192.0.2.2)", "[IP] == any(192.0.2.2, 192.0.2.3)", "[IP] == 192.0.2.9",
        ])
        #expect(request.expectedAddresses.count == 1)
        #expect(notes.contains { $0.contains("[IP] == 192.0.2.9") && $0.contains("not carried over") })
        let (names, _) = try conditions(
            [
                "[BODY] == pat(*192.0*)", "[BODY] == pat(*.2.1)", "[DNS_RCODE] == any(NOERROR, NXDOMAIN)",
                "[DNS_RCODE] == NOERROR",
            ],
            url: "192.0.2.53",
            "    dns: { query-name: example.org, query-type: A }\n"
        )
        guard case .dns(let dns) = names.kind else { return #expect(Bool(false)) }
        #expect(dns.requiredAnswers.count == 2 && dns.expectedCodes.count == 1 && dns.minimumAnswers == 1)
    }

    // MARK: Alerts and maintenances

    private static let alerting = """
        alerting:
          slack: { default-alert: { failure-threshold: 7, success-threshold: 4 } }
          pagerduty: { default-alert: { enabled: false, failure-threshold: 1 } }

        """

    @Test(
        "an alert has its own thresholds, its default alert's or Gatus' defaults; the lowest of the enabled ones counts",
        arguments: [
            ("{ type: slack }", 7, 4, 0), ("{ type: slack, failure-threshold: 5 }", 5, 4, 0),
            ("{ type: ntfy, success-threshold: 5 }", 3, 5, 0),
            ("{ type: slack }, { type: pagerduty }", 7, 4, 0),
            ("{ type: slack, failure-threshold: 0 }, { type: slack, enabled: false, failure-threshold: 1 }", 7, 4, 0),
            ("{ type: slack }, { type: pagerduty, enabled: true }", 1, 2, 1),
            (
                "{ type: ntfy, failure-threshold: 2, success-threshold: 9 }, { type: slack, success-threshold: 1 }", 2,
                9, 1
            ),
        ]
    )
    func alerts(alerts: String, fall: Int, rise: Int, noted: Int) throws {
        let imported = try imported(
            Self.alerting + "endpoints:\n  - { name: a, url: \"tcp://192.0.2.1:1\", alerts: [ \(alerts) ] }\n"
                + "external-endpoints:\n  - { name: b, heartbeat: { interval: 1m }, alerts: [ \(alerts) ] }\n"
        )
        for target in try load(imported.text).targets {
            // A target that calls has its grace instead.
            let wanted = target.probe?.type == "push" ? (1, 1) : (fall, rise)
            #expect(
                target.probe?.verdict.fall == wanted.0 && target.probe?.verdict.rise == wanted.1,
                "\(target.id)"
            )
        }
        #expect(imported.notes.filter { $0.words.contains("alerts") && $0.words.contains("endpoint a") }.count == noted)
    }

    @Test("alerts that are all disabled set no thresholds")
    func disabledAlerts() throws {
        let imported = try imported(
            Self.alerting
                + "endpoints:\n  - { url: \"tcp://192.0.2.1:1\", alerts: [ { type: pagerduty, failure-threshold: 9 } ] }\n"
        )
        // Red at the first failure there.
        #expect(imported.text.contains("fall: 1") && !imported.text.contains("rise"))
        #expect(imported.notes.contains { $0.words.contains("none of them is enabled") })
    }

    @Test("the file's maintenance is also that of endpoints that call, beside their own")
    func maintenance() throws {
        let imported = try imported(
            """
            maintenance: { start: "23:00", duration: 1h }
            external-endpoints:
              - { name: a, heartbeat: { interval: 1m } }
              - name: b
                heartbeat: { interval: 1m }
                maintenance-windows: [ { start: "01:00", duration: 2h, every: [ Monday ] } ]

            """
        )
        #expect(try load(imported.text).targets.map(\.maintenance.count) == [1, 2])
        #expect(!imported.notes.contains { $0.words.contains("maintenance") })
    }

    @Test("a maintenance keeps its time zone; one that this system lacks is noted and does not cost the target")
    func maintenanceZone() throws {
        let imported = try imported(
            """
            maintenance: { start: "23:00", duration: 1h, timezone: Europe/Berlin, every: [ Monday ] }
            endpoints:
              - { name: a, url: "tcp://192.0.2.1:1" }
              - name: b
                url: "tcp://192.0.2.1:2"
                maintenance-windows:
                  - { start: "01:00", duration: 2h, timezone: Europe/Nowhere }
                  - { start: "02:00", duration: 2h, timezone: UTC }

            """
        )
        let zone = try #require(TimeZoneRules("Europe/Berlin"))
        let expected = try MaintenanceWindow(weekdays: [.monday], startMinute: 1_380, durationMinutes: 60, zone: zone)
        let targets = try load(imported.text).targets
        #expect(targets.map(\.maintenance.count) == [1, 3])
        #expect(targets.first?.maintenance == [expected] && targets.last?.maintenance.first == expected)
        let notes = imported.notes.map(\.words).filter { $0.contains("time zone") }
        #expect(notes.count == 1 && notes.first?.contains("'Europe/Nowhere' is not carried over") == true)
    }

    // MARK: Placeholders and variables

    @Test("placeholders that never change are filled in, those that do are noted")
    func placeholders() throws {
        let body =
            "    body: \"[ENDPOINT_NAME]=[ENDPOINT_URL] [RANDOM_STRING_5] [RANDOM_STRING_5] [LOCAL_ADDRESS] [1] [\"\n"
        let (request, notes) = try conditions([], url: "udp://192.0.2.1:9", "    name: n\n" + body)
        guard case .udp(let udp) = request.kind else { return #expect(Bool(false)) }
        #expect(
            udp.payload == Array("n=udp://192.0.2.1:9 [RANDOM_STRING_5] [RANDOM_STRING_5] [LOCAL_ADDRESS] [1] [".utf8)
        )
        #expect(notes.filter { $0.contains("'[RANDOM_STRING_5]' is sent unchanged") }.count == 1)
        #expect(notes.filter { $0.contains("'[LOCAL_ADDRESS]' is sent unchanged") }.count == 1)
        // Gatus itself sends this one as it stands.
        let (_, plain) = try conditions([], "    body: \"[LOCAL_ADDRESS]\"\n")
        #expect(!plain.contains { $0.contains("LOCAL_ADDRESS") })
    }

    @Test("unset variables are empty, and the output is valid without them")
    func unset() throws {
        let imported = try imported(
            """
            endpoints:
              - name: a
                url: "https://a.b/${UNSETVAR}?x=$y&z=$$5"
                headers: { X-Token: "$TOKEN", X-None: "$1" }
            """
        )
        #expect(imported.text.contains(#""https://a.b/${UNSETVAR:-}?x=${y:-}&z=$$5""#))
        func url(_ environment: [String: String]) throws -> String? {
            guard case .http(let http) = try request(load(imported.text, environment: environment).targets.first).kind
            else {
                return nil
            }
            return http.url.description
        }
        #expect(try url([:]) == "https://a.b/?x=&z=$5")
        #expect(try url(["UNSETVAR": "p", "y": "q", "TOKEN": "t"]) == "https://a.b/p?x=q&z=$5")
        let notes = imported.notes.map(\.words)
        #expect(notes.filter { $0.contains("are read: TOKEN, UNSETVAR, y; an unset one is empty") }.count == 1)
        #expect(notes.contains { $0.contains("invalid variable names are empty") && $0.hasSuffix("'$1'") })
    }

    @Test("headers that may be secrets are read from variables, unless they are already")
    func secrets() throws {
        let imported = try imported(
            """
            endpoints:
              - name: front page
                url: "https://a.b/?token=S3CRET"
                headers:
                  { Authorization: "Bearer S3CRET", X-Token: "Token ${TOKEN}", X-Key: "S3CRET${TOKEN}", Accept: "a/b" }
                body: '{"password": "S3CRET"}'
              - { name: cache, url: "tcp://a.b:6379", body: "AUTH S3CRET" }
            """
        )
        let notes = imported.notes.map(\.words)
        let title = "the endpoint front page: "
        for note in [
            title + "url is written as it is; check whether it contains a secret",
            title + "put the value of headers.Authorization in the environment variable FRONT_PAGE_AUTHORIZATION",
            title + "put the value of headers.X-Key in the environment variable FRONT_PAGE_X_KEY",
            title + "body is written as it is; check whether it contains a secret",
            "the endpoint cache: body is written as it is; check whether it contains a secret",
        ] { #expect(notes.contains(note), "\(note)") }
        #expect(notes.contains { $0.contains("are read: FRONT_PAGE_AUTHORIZATION, FRONT_PAGE_X_KEY, TOKEN; an unset") })
        #expect(imported.text.contains(#"Authorization: "${FRONT_PAGE_AUTHORIZATION:-}""#))
        #expect(imported.text.contains(#"X-Token: "Token ${TOKEN:-}""#))
        #expect(imported.text.split(separator: "S3CRET", omittingEmptySubsequences: false).count == 4)
    }

    @Test("a variable without which a target is not valid has no default, and the note names it")
    func needed() throws {
        let imported = try imported(
            """
            endpoints:
              - { name: a, url: "https://${HOST}:${PORT}/${PATH_}" }
              - { name: b, url: "https://${A}${B}/" }
            """
        )
        // Of a URL the path may be nothing; a : without a port is refused.
        #expect(imported.text.contains(#""https://${HOST}:${PORT}/${PATH_:-}""#))
        #expect(imported.text.contains(#""https://${A}${B}/""#))
        #expect(faults(imported.text, environment: ["HOST": "h", "PORT": "1", "A": "a", "B": "b"]).isEmpty)
        #expect(imported.notes.contains { $0.words.hasSuffix("set before reachd validate: A, B, HOST, PORT") })
    }

    @Test("a variable with the scheme of a URL, a host or a port is written through")
    func variablePlaces() throws {
        let imported = try imported(
            """
            endpoints:
              - { name: a, url: "${SOCKET_PROXY_URL}/db/json" }
              - { name: b, url: "$BASE" }
              - { name: c, url: "tls://mqtt.${DOMAIN}:8883" }
              - { name: d, url: "tcp://${DB_HOST}:${DB_PORT}" }
              - { name: e, url: "icmp://${BUDDY_HOST}" }
              - { name: f, url: "${NAMESERVER}", dns: { query-name: a.test, query-type: A } }
              - { name: g, url: "${KIND}://h" }
            """
        )
        #expect(
            imported.text.contains(#"url: "${SOCKET_PROXY_URL}/db/json""#) && imported.text.contains(#"url: "${BASE}""#)
        )
        let variables = [
            "SOCKET_PROXY_URL": "http://proxy.test:2375", "BASE": "https://b.test/x", "DOMAIN": "c.test",
            "DB_HOST": "d.test",
            "DB_PORT": "5432", "BUDDY_HOST": "e.test", "NAMESERVER": "192.0.2.53",
        ]
        let targets = try load(imported.text, environment: variables).targets
        #expect(targets.map(\.text) == ["proxy.test", "b.test", "mqtt.c.test", "d.test", "e.test", "192.0.2.53"])
        #expect(targets.map { $0.probe?.type } == ["http", "http", "tls", "tcp", "icmp", "dns"])
        guard case .http(let http) = try request(targets[0]).kind else {
            Issue.record("no http")
            return
        }
        #expect(http.url.description == "http://proxy.test:2375/db/json")
        let notes = imported.notes.map(\.words)
        // Without DOMAIN the host is still one.
        let needed = variables.keys.filter { $0 != "DOMAIN" }.sorted()
        #expect(
            notes.contains(
                "the endpoint a: the variable SOCKET_PROXY_URL has the scheme of the URL, which must be http or https"
            )
        )
        #expect(notes.contains { $0.hasPrefix("the endpoint g is left out") })
        #expect(
            notes.contains {
                $0.hasSuffix("set before reachd validate: \(needed.joined(separator: ", "))")
            },
            "\(notes)"
        )
    }

    @Test("connectivity.checker becomes an anchor")
    func connectivity() throws {
        let endpoint = "endpoints: [ { name: a, url: \"tcp://192.0.2.1:1\" } ]"
        let imported = try imported(
            "connectivity: { checker: { target: \"192.0.2.53:53\", interval: 30s } }\n\(endpoint)"
        )
        let configuration = try load(imported.text)
        #expect(configuration.targets.map(\.id) == ["a", "connectivity-checker"])
        #expect(configuration.targets[1].probe?.verdict.interval == .seconds(30))
        #expect(imported.text.hasSuffix("probing:\n  anchors:\n    - connectivity-checker\n"))
        #expect(imported.notes.map(\.words).contains { $0.hasPrefix("connectivity.checker is an anchor") })
        #expect(imported.summary == "1 of 1 endpoint imported; nothing lost")
        for target in ["", "{ target: \"192.0.2.53\" }", "{ target: \"a b:53\" }"] {
            let text = "connectivity: { checker: \(target) }\n\(endpoint)"
            #expect(try load(self.imported(text).text).targets.map(\.id) == ["a"])
        }
    }

    @Test("an external endpoint without a heartbeat is late after the longest time")
    func noHeartbeat() throws {
        let imported = try imported("external-endpoints: [ { name: a, token: t } ]")
        let probe = try load(imported.text).targets[0].probe
        #expect(probe?.method == .heartbeat(grace: .seconds(604_800)) && probe?.verdict.interval == .seconds(604_800))
        #expect(imported.notes.contains { $0.words.contains("down 14 days after the last call") })
    }

    @Test(
        "references are read as os.ExpandEnv reads them",
        arguments: [
            ("a", "a"), ("$", "$$"), ("a$ b", "a$$ b"), ("$$", "$$"), ("$$$x", "$$${x}"), ("$a-b", "${a}-b"),
            ("${a}b", "${a}b"), ("${}", ""), ("${a", "a"), ("$1x", "x"), ("${a b}c", "c"), ("${a:-b}", ""),
            ("$é", "$$é"),
            ("$?$!", ""), ("$$$$", "$$$$"), ("${1}", ""),
        ]
    )
    func references(text: String, ours: String) {
        var variables = GatusVariables()
        #expect(variables.template(text) == ours)
    }
}
