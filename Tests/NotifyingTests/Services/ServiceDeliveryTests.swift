// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Probing
import TestSupport
import Testing

@testable import Notifying

@Suite("Delivery to messaging services, over HTTP", .timeLimit(.minutes(15))) struct ServiceDeliveryTests {
    private let scene: ServiceScene

    init() throws { scene = try ServiceScene() }

    private func receiver(_ service: MessagingService, _ port: UInt16) throws -> ReceiverSettings {
        let settings = try scene.settings(service, base: "http://127.0.0.1:\(port)")
        var receiver = ReceiverSettings(name: service.name, channel: .service(settings))
        receiver.pace.groupWait = .zero
        receiver.retry.firstPause = .milliseconds(20)
        receiver.retry.longestPause = .milliseconds(100)
        return receiver
    }

    @Test("A test message arrives as the service takes it, without headers of reachd", arguments: MessagingService.all)
    func test(_ service: MessagingService) throws {
        let server = try HookServer()
        let outcome = try TestDelivery(try receiver(service, server.port)).run()
        #expect(outcome == .init(isAccepted: true, words: "accepted with status 200"))
        let request = try #require(server.requests.events.first)
        let expected = try scene.request(.test(at: StateChange.sample(1).at), service)
        #expect(request.method == expected.method)
        #expect(request.headers["content-type"] == expected.contentType)
        #expect(request.target.split(separator: "/").first == expected.url.target.split(separator: "/").first)
        #expect(request.body.contains("Test"))
        #expect(!request.headers.keys.contains { $0.hasPrefix("reachd-") })
        for (name, value) in expected.headers { #expect(request.headers[name.lowercased()] == value) }
    }

    @Test("A target that goes down and comes back is two messages; a limited rate is waited for, a refusal given up")
    func story() async throws {
        let server = try HookServer { _, count in
            switch count {
            case 0: .status(429, headers: ["Retry-After: 0"])
            case 1: .status(200)
            default: .status(400)
            }
        }
        let scene = try NotifierScene([try receiver(.ntfy, server.port)])
        scene.path(.up(), of: [0])
        scene.path(.down(.noCarrier), of: [0])
        _ = try await server.requests.next(after: 1)
        scene.path(.up(generation: 9), of: [0])
        _ = try await server.requests.next(after: 6)
        while scene.status("ntfy")?.givenUp != 1 { await Task.yield() }
        let titles = server.requests.events.map { MessageReading(body: $0.body).text("$.title") }
        #expect(titles.prefix(2).allSatisfy { $0?.contains("unreachable") == true })
        #expect(titles.dropFirst(2).allSatisfy { $0?.hasPrefix("Resolved: ") == true } && titles.count == 7)
        let status = try #require(scene.status("ntfy"))
        #expect(status.type == "ntfy" && status.delivered == 1 && status.lastError?.code == "http_400")
    }

    @Test(
        "A problem and its end open and close one alert; a limited rate is waited for",
        arguments: [MessagingService.pagerduty, .opsgenie]
    )
    func pagers(_ service: MessagingService) async throws {
        let server = try HookServer { _, count in
            count == 0 ? .status(429, headers: ["Retry-After: 0"]) : .status(202)
        }
        let scene = try NotifierScene([try receiver(service, server.port)])
        scene.path(.up(), of: [0])
        scene.path(.down(.noCarrier), of: [0])
        _ = try await server.requests.next(after: 1)
        scene.path(.up(generation: 9), of: [0])
        while scene.status(service.name)?.delivered != 2 { await Task.yield() }
        let requests = server.requests.events
        try #require(requests.count == 3)
        #expect(requests[0].body == requests[1].body && requests[0].target == requests[1].target)
        let readings = requests.map { MessageReading(body: $0.body) }
        if service.name == "pagerduty" {
            #expect(readings.map { $0.text("$.event_action") } == ["trigger", "trigger", "resolve"])
            #expect(Set(readings.map { $0.text("$.dedup_key") }).count == 1)
        } else {
            let alias = try #require(readings[1].text("$.alias"))
            #expect(
                requests.map(\.target) == [
                    "/v2/alerts", "/v2/alerts", "/v2/alerts/\(alias)/close?identifierType=alias",
                ]
            )
        }
    }
}
