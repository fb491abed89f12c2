// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Discovery
import Monitoring
import NetworkPaths
import Probing
import Schema
import Testing

@testable import Configuration

@Suite("Kubernetes as a source")
struct KubernetesDiscoveryTests {
    private func settings(_ text: String) throws -> KubernetesSettings {
        let configuration = try load("discovery: {kubernetes: [\(text)]}")
        let source = try #require(configuration.discovery?.sources(of: "kubernetes").first)
        return try #require(source.settings as? KubernetesSettings)
    }

    @Test("without keys it is the cluster of the pod, with all resources")
    func defaults() throws {
        #expect(try settings("{}") == KubernetesSettings())
        #expect(KubernetesSettings().watchedResources == [.ingress, .httpRoute, .service, .node])
    }

    @Test("every key is read")
    func keys() throws {
        let found = try settings(
            """
            {api: 'https://k.example:6443/', auth: {token_file: /t}, tls: {ca_file: /c}, resources: [service, ingress],
            namespaces: [shop, blog], label_selector: 'tier=web', all: true, label_tags: app, group: Cluster,
            cluster_domain: cluster.local, foreign_hosts: true, resync: 10m}
            """
        )
        var expected = KubernetesSettings()
        expected.server.url = "https://k.example:6443"
        expected.server.authorization = .bearerFile("/t")
        expected.server.authorities = "/c"
        expected.resources = [.service, .ingress]
        expected.namespaces = ["shop", "blog"]
        expected.labelSelector = "tier=web"
        expected.monitorsAll = true
        expected.labels = ["app"]
        expected.group = "Cluster"
        expected.clusterDomain = "cluster.local"
        expected.allowsForeignHosts = true
        expected.resync = .seconds(600)
        #expect(found == expected)
        #expect(found.watchedResources == [.ingress, .service])
    }

    @Test(
        "faults have the key",
        arguments: [
            ("namespaces: [A]", "namespaces"), ("namespaces: [a, a]", "namespaces"),
            ("resources: [pod]", "resources/0"),
            ("resources: [node, node]", "resources"), ("api: 'https://k/?x'", "api"), ("api: k", "api"),
            ("cluster_domain: 'a b'", "cluster_domain"),
            ("namespaces: [\((0..<17).map { "n\($0)" }.joined(separator: ","))]", "namespaces"),
        ]
    )
    func faults(text: String, key: String) throws {
        let error = #expect(throws: ConfigurationDiagnostics.self) { try load("discovery: {kubernetes: [{\(text)}]}") }
        #expect(error?.diagnostics.map(\.pointer) == ["/discovery/kubernetes/0/\(key)"])
    }

    @Test("access.targets restricts the targets of clusters, and of no other source")
    func restriction() throws {
        let text = "discovery: {kubernetes: [{}], containers: [{}], dns: [{lookup: a}], http: [{url: 'http://a/'}]}"
        let sources = try #require(try load(text).discovery?.sources)
        #expect(sources.count == 4)
        #expect(sources.filter(\.isRestricted).map(\.kind) == ["kubernetes"])
    }

    @Test("an object's probe is the target's, within the bounds of the object")
    func declarations() throws {
        func target(_ probe: String, isConfined: Bool) throws(ConfigurationDiagnostics) -> TargetSettings {
            let source = DeclaredSource(
                kind: "kubernetes",
                name: "kubernetes",
                settings: KubernetesSettings(),
                defaults: .init(),
                isRestricted: isConfined
            )
            var assembler = ItemAssembler(source, nameEvaluation: .optimistic)
            let text = "group: \"shop\"\nprobe:\n  \(probe)"
            return try assembler.target(
                of: DiscoveredItem(
                    address: "https://example.org/x",
                    id: "k8s:shop:ingress:web:example.org",
                    labels: [.init("__param_module", "http"), .init("app.kubernetes.io/name", "web")],
                    declaration: .init(text, in: "ingress shop/web", isConfined: isConfined),
                    place: .source("ingress shop/web")
                )
            )
        }
        let made = try target("{type: http, interval: 7s}", isConfined: true)
        #expect(made.id == "k8s:shop:ingress:web:example.org" && made.group == "shop")
        #expect(made.tags == ["app.kubernetes.io/name": "web"])
        #expect(made.probe?.verdict.interval == .seconds(7))
        #expect(made.isClientDeclared)
        let elsewhere = "{type: http, url: 'https://evil.example/'}"
        #expect(throws: Never.self) { try target(elsewhere, isConfined: false) }
        let proxy = "{type: http, proxy: {host: evil.example, port: 1}}"
        for probe in [elsewhere, proxy, "{type: http, auth: {token_file: /etc/shadow}}", "{type: http}\nhost: b"] {
            #expect(throws: ConfigurationDiagnostics.self, "\(probe)") { try target(probe, isConfined: true) }
        }
    }
}
