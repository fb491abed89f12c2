// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import TestSupport
import Testing

@testable import Configuration
@testable import ReachAPI

@Suite("Hostile requests")
struct FuzzTests {
    /// Reproducible: the same seed gives the same requests.

    private static let pieces = [
        "/", "targets", "status", "events", "health", "api", "v1", "livez", "%", "%2", "%2f", "%00", "%ff", "%C3%A9",
        "..",
        "web", "job", "?", "&", "=", "+", ",", ":", ";", "#", "limit", "cursor", "state", "up", "fail_on", "tag", "key",
        "options",
        "new", "since", "abcd-1", "abcd-", "-", "18446744073709551615", "99999999999999999999999", "-1", "é", "\u{0}",
        "\u{feff}", "\"", "\\", "\n", "true", "1", "fields", "id", "q", "distinct", "snapshot", "format", "message",
        "http://",
        "include", "result", "activity", "detail", "fail", "ok", "pause", "heartbeat", "probe", "fleet", "nodes",
        "drain",
        "undrain", "scope", "node", "fleet.1",
    ]

    @Test(
        "Random paths, queries, ids and header fields get a response and cause no crash",
        arguments: 0..<4 as Range<UInt64>
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Every other one with a fleet whose database cannot be read.
        var wiring = RequestHandler.ServiceDependencies()
        if seed % 2 == 1 {
            wiring.fleetReader = try .closed()
            wiring.fleetBodies = FleetBodyReader(policy: { nil })
        }
        let fixture = Fixture(capacity: 16, hasProbes: true, wiring: wiring)
        let probed = try [TargetSettings.probed("web"), .calling("job")]
        fixture.registry.apply(targets: (0..<20).map { .address("t\($0)") } + probed)
        fixture.emit("web", .up())
        fixture.record("web", .success)
        func noise(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                Self.pieces.randomElement(using: &generator) ?? ""
            }.joined()
        }
        for _ in 0..<1000 {
            let route = Route.allCases.randomElement(using: &generator)?.rawValue ?? "/"
            let path =
                Bool.random(using: &generator) ? route.replacing("{id}", with: noise(3)) : "/" + noise(6)
            let names = (Route(rawValue: route)?.parameters ?? []).map(\.name)
            let known = names.randomElement(using: &generator).map { $0 + "=" + noise(3) } ?? ""
            let request = HTTPRequest(
                method: ["GET", "HEAD", "OPTIONS", "POST", noise(1)].randomElement(using: &generator) ?? "GET",
                path: path,
                query: Bool.random(using: &generator) ? known : noise(8),
                headers: [
                    HTTPHeader("If-None-Match", noise(3)), HTTPHeader("Last-Event-ID", noise(3)),
                    HTTPHeader("Host", noise(2)),
                ] + (Bool.random(using: &generator) ? [HTTPHeader("Origin", noise(2))] : []),
                peer: ["127.0.0.1:1", "unix", "192.0.2.1:1", noise(2)].randomElement(using: &generator) ?? ""
            )
            let response = fixture.handler.respond(to: request)
            // The test's fleet has no standing to report.
            let isStanding = wiring.fleetReader != nil && path.hasSuffix("/status") && response.status == 500
            #expect(
                [200, 204, 304, 400, 403, 404, 405, 409, 415, 501, 503].contains(response.status) || isStanding,
                "\(request)"
            )
            if case .deferred = response.body {
                fixture.probes.finish(fixture.record("web", .failure()))
                _ = try JSONValue(parsing: try #require(response.late).bytes)
            } else if case .stream(let stream) = response.body {
                for event in try stream.drain() where event.data == nil { #expect(event.comment != nil) }
                stream.didEnd()
            } else if response.status >= 400 {
                _ = try JSONValue(parsing: response.bytes)
            }
        }
    }

    @Test("Every name that a configuration permits becomes valid JSON")
    func hostileNames() throws {
        let fixture = Fixture()
        var target = TargetSettings.address("web", tags: ["\u{1}\"": "\\\n\u{2028}"])
        target.name = "\u{0}</script>\u{7f}🙂"
        fixture.registry.apply(targets: [target])
        let body = try #require(fixture.json("/targets")["targets"]?.array?.first)
        #expect(body["name"]?.string == target.name)
        #expect(body[["tags", "\u{1}\""]]?.string == "\\\n\u{2028}")
        let event = try #require(try fixture.stream("?since=\(fixture.id(0))").drain().last)
        #expect(event.data?["target"] == body)
    }
}
