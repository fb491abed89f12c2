// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization
import TestSupport
import Testing

@testable import Discovery

@Suite("Kubernetes: a recorded API over TLS", .timeLimit(.minutes(15)))
struct KubernetesSourceTests {
    private typealias Objects = RecordedObjects
    private static let ingresses = "/apis/networking.k8s.io/v1/ingresses"
    private static let routes = "/apis/gateway.networking.k8s.io/v1/httproutes"

    @Test("a list comes in pages; events change it; the next watch continues at the bookmark")
    func watch() async throws {
        let api = try RecordedAPI([
            Self.ingresses: [
                .body(200, Objects.list([Objects.ingress("a")], next: "eyJ2Ijoi=")),
                .body(200, Objects.list([Objects.ingress("b")])),
                .watch(
                    Objects.event("ADDED", Objects.ingress("c", version: "3001"))
                        + Objects.event("DELETED", Objects.ingress("a", version: "3002"))
                        + Objects.event("MODIFIED", Objects.ingress("b", version: "3003", hosts: ["b.example.org"]))
                        + Objects.bookmark("3500"),
                    ends: true
                ),
            ]
        ])
        api.start([.ingress])
        let report = try await api.items([
            "k8s:shop:ingress:b:b.example.org", "k8s:shop:ingress:c:example.org",
        ])
        #expect(report.error == nil && report.notes.isEmpty)
        try await api.requests.next { $0.hasSuffix("resourceVersion=3500") }
        #expect(
            api.requests.events == [
                "\(Self.ingresses)?limit=500", "\(Self.ingresses)?limit=500&continue=eyJ2Ijoi%3D",
                "\(Self.ingresses)?watch=1&allowWatchBookmarks=true&resourceVersion=3000",
                "\(Self.ingresses)?watch=1&allowWatchBookmarks=true&resourceVersion=3500",
            ]
        )
    }

    @Test("a watch that breaks resumes at the last event")
    func resumption() async throws {
        let api = try RecordedAPI([
            Self.ingresses: [
                .body(200, Objects.list([])),
                .watch(Objects.event("ADDED", Objects.ingress("a", version: "3007")) + #"{"type":"ADD"#, ends: true),
                .body(500, Objects.status(500, "InternalError", "etcdserver: leader changed")),
                .watch(Objects.event("ADDED", Objects.ingress("b", version: "3008")), ends: false),
            ]
        ])
        api.start([.ingress])
        try await api.items(["k8s:shop:ingress:a:example.org", "k8s:shop:ingress:b:example.org"])
        #expect(api.requests.events.suffix(2).allSatisfy { $0.hasSuffix("resourceVersion=3007") })
        #expect(api.requests.count == 4)
        // Neither break was worth a message.
        #expect(api.reports.events.allSatisfy { $0.error == nil })
    }

    @Test(
        "410 begins a new list, and the targets stay until it is complete",
        arguments: [
            RecordedAPI.Reply.body(410, Objects.status(410, "Expired", "too old resource version: 3000 (4000)")),
            .watch(
                Objects.event("ERROR", Objects.status(410, "Expired", "too old resource version: 3000 (4000)")),
                ends: true
            ),
        ]
    )
    func gone(reply: RecordedAPI.Reply) async throws {
        let api = try RecordedAPI([
            Self.ingresses: [
                .body(200, Objects.list([Objects.ingress("a"), Objects.ingress("b")])), reply,
                .body(200, Objects.list([Objects.ingress("a")], next: "1")),
                // The page is gone as well: the list begins anew.
                .body(410, Objects.status(410, "Expired", "The provided continue parameter is too old")),
                .body(200, Objects.list([Objects.ingress("a")], next: "2")),
                .body(200, Objects.list([Objects.ingress("c")], version: "4000")),
            ]
        ])
        api.start([.ingress])
        let last = ["k8s:shop:ingress:a:example.org", "k8s:shop:ingress:c:example.org"]
        try await api.items(last)
        try await api.requests.next { $0.hasSuffix("resourceVersion=4000") }
        let first = ["k8s:shop:ingress:a:example.org", "k8s:shop:ingress:b:example.org"]
        #expect(api.reports.events.compactMap { $0.items?.map(\.id) }.allSatisfy { $0 == first || $0 == last })
        #expect(api.requests.events.map { $0.contains("continue") } == [false, false, false, true, false, true, false])
    }

    @Test("the token is read for each request")
    func token() async throws {
        let file = Mutex("")
        let accepted = Mutex("Bearer one")
        let api = try RecordedAPI(
            [
                Self.ingresses: [
                    .body(200, Objects.list([])), .watch(Objects.bookmark("3001"), ends: true),
                    .watch(Objects.event("ADDED", Objects.ingress("a", version: "3002")), ends: false),
                ]
            ],
            permits: { token in
                if token == accepted.withLock({ $0 }) { return true }
                // Renewed a moment too late.
                _ = try? Command.run(["sh", "-c", "echo two > \(file.withLock { $0 })"])
                return false
            }
        )
        file.withLock { $0 = api.token }
        api.start([.ingress])
        try await api.reports.next { $0.items?.isEmpty == true }
        accepted.withLock { $0 = "Bearer two" }
        try await api.items(["k8s:shop:ingress:a:example.org"])
        #expect(api.reports.events.allSatisfy { $0.error == nil })
    }

    @Test("a missing right is an error that names the rule; other resources are reported")
    func forbidden() async throws {
        let words = #"ingresses.networking.k8s.io is forbidden: User \"system:serviceaccount:r:r\" cannot list"#
        let refusal = RecordedAPI.Reply.body(403, Objects.status(403, "Forbidden", words))
        let api = try RecordedAPI([
            Self.ingresses: Array(repeating: refusal, count: 10_000),
            Self.routes: [.body(200, Objects.list([Objects.route()]))],
        ])
        api.start([.ingress, .httpRoute])
        let report = try await api.items(["k8s:shop:httproute:shop:shop.example.org"])
        let error = try #require(report.error)
        #expect(error.code == .denied)
        #expect(
            error.words.hasPrefix(
                "cannot list ingresses.networking.k8s.io in all namespaces: the service account needs a ClusterRole with "
                    + #"apiGroups ["networking.k8s.io"], resources ["ingresses"], verbs ["list"] (403): ingresses."#
            )
        )
    }

    @Test("malformed and endless lines end the watch, and a new list repairs the objects", arguments: [0, 1, 2])
    func malformed(form: Int) async throws {
        let long = String(repeating: "x", count: KubernetesWatchLines.limit + 1)
        let line = [
            "{\"type\":\"ADDED\",\"object\":{]\n", long, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{}}}\n",
        ][form]
        let api = try RecordedAPI([
            Self.ingresses: [
                .body(200, Objects.list([Objects.ingress("a")])), .watch(line, ends: false),
                .body(200, Objects.list([Objects.ingress("b")])),
            ]
        ])
        api.start([.ingress])
        try await api.items(["k8s:shop:ingress:b:example.org"])
        #expect(api.requests.events.prefix(3).last == "\(Self.ingresses)?limit=500")
    }

    @Test("a cluster without Gateway API is told once, and its routes are found when it is installed")
    func absentRoutes() async throws {
        let missing = RecordedAPI.Reply.body(404, "404 page not found\n")
        let api = try RecordedAPI([
            Self.ingresses: [.body(200, Objects.list([Objects.ingress("a")]))],
            Self.routes: [missing, missing, missing, .body(200, Objects.list([Objects.route()]))],
        ])
        api.start([.ingress, .httpRoute])
        try await api.items(["k8s:shop:ingress:a:example.org", "k8s:shop:httproute:shop:shop.example.org"])
        let reports = api.reports.events
        #expect(reports.allSatisfy { $0.error == nil && $0.notes.count <= 1 })
        #expect(reports.last?.notes.isEmpty == true)
    }

    @Test("namespaces and a selector are the server's to apply")
    func selection() async throws {
        let api = try RecordedAPI([:])
        api.start([]) { settings in
            settings.namespaces = ["shop", "blog"]
            settings.labelSelector = "tier in (web, api)"
        }
        try await api.reports.next { $0.items?.isEmpty == true }
        let lists = Set(api.requests.events.filter { $0.contains("limit=") })
        let paths = ["/apis/networking.k8s.io/v1", "/apis/gateway.networking.k8s.io/v1", "/api/v1"].flatMap { root in
            ["shop", "blog"].map { "\(root)/namespaces/\($0)/" }
        }
        let names = ["ingresses", "ingresses", "httproutes", "httproutes", "services", "services"]
        let query = "?limit=500&labelSelector=tier%20in%20%28web%2C%20api%29"
        #expect(lists == Set(zip(paths, names).map { $0 + $1 + query }))
    }

    @Test("an untrusted certificate and a place outside of a cluster are errors")
    func connection() async throws {
        let api = try RecordedAPI([:])
        let other = try SelfSignedCertificate("other", in: api.folder)
        api.start([.ingress]) { $0.server.authorities = other.path }
        let report = try await api.reports.next { $0.error != nil }
        #expect(report.items == nil && report.error?.code == .untrusted)

        let outside = KubernetesHTTPServer(KubernetesSettings.Server(), environment: [:])
        let fault = #expect(throws: KubernetesFault.self) { try outside.list("/api", isCancelled: { false }) }
        #expect(fault?.error("list", .node, in: nil).words.contains("KUBERNETES_SERVICE_HOST") == true)
    }
}
