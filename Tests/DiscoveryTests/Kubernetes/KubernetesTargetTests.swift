// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Testing

@testable import Discovery

@Suite("Kubernetes: targets of objects")
struct KubernetesTargetTests {
    private typealias Objects = RecordedObjects

    private func finding(
        _ resource: KubernetesResource,
        _ object: String,
        adjust: (inout KubernetesSettings) -> Void = { _ in }
    ) throws -> KubernetesFinding? {
        var settings = KubernetesSettings()
        adjust(&settings)
        let reader = KubernetesObjectReader(resource: resource, labels: Set(settings.labels))
        let page = try KubernetesListPage(Array(Objects.list([object]).utf8), reader)
        return KubernetesTargets(of: resource, settings).finding(of: try #require(page.objects.first))
    }

    private func addresses(_ finding: KubernetesFinding?) -> [String] { finding?.targets.map(\.address) ?? [] }

    @Test("only objects with the annotation are monitored, or all without its opposite")
    func choice() throws {
        let monitored = Objects.ingress()
        let silent = Objects.ingress(annotations: "")
        let refused = Objects.ingress(annotations: #""reachd.io/monitor":"false""#)
        #expect(try finding(.ingress, monitored) != nil)
        #expect(try finding(.ingress, silent) == nil)
        #expect(try finding(.ingress, refused) == nil)
        #expect(try finding(.ingress, silent) { $0.monitorsAll = true } != nil)
        #expect(try finding(.ingress, refused) { $0.monitorsAll = true } == nil)
    }

    @Test("an Ingress has a target for each host, with https where it has TLS, and names, tags and a group")
    func ingress() throws {
        let hosts = ["example.org", "www.Example.net", "*.example.com", "a.tls.example"]
        let object = Objects.ingress(hosts: hosts, tls: #"[{"hosts":["example.org"]},{"hosts":["*.tls.example"]}]"#)
        let found = try #require(try finding(.ingress, object) { $0.labels = ["app.kubernetes.io/name"] })
        #expect(
            found.targets == [
                .init(
                    id: "k8s:shop:ingress:web:example.org",
                    name: "example.org",
                    address: "https://example.org/",
                    probe: "http"
                ),
                .init(
                    id: "k8s:shop:ingress:web:www.example.net",
                    name: "www.example.net",
                    address: "http://www.example.net/",
                    probe: "http"
                ),
                .init(
                    id: "k8s:shop:ingress:web:a.tls.example",
                    name: "a.tls.example",
                    address: "https://a.tls.example/",
                    probe: "http"
                ),
            ]
        )
        #expect(
            found.tags == ["namespace": "shop", "kind": "ingress", "name": "web", "app.kubernetes.io/name": "web"]
        )
        #expect(found.group == "shop")
        #expect(
            found.notes == ["ingress shop/web: the host *.example.com is a wildcard, for which no name can be probed"]
        )
    }

    @Test(
        "the path is / if a rule has it, else the shortest, of a regular expression its literal beginning",
        arguments: [
            ([], "/"), (["Prefix /"], "/"), (["Prefix /shop/cart", "Prefix /shop"], "/shop"),
            (["ImplementationSpecific /api(/|$)(.*)"], "/api"), (["ImplementationSpecific /v[12]/x"], "/"),
            (["ImplementationSpecific /app/v?(.*)"], "/app/"), (["ImplementationSpecific /plain"], "/plain"),
            (["ImplementationSpecific ^/x/.*"], "/x/"), (["ImplementationSpecific .*"], "/"),
            (["Exact /a(b)"], "/a(b)"), (["Prefix /a b"], "/"), (["Prefix no"], "/"), ([" "], "/"),
        ]
    )
    func path(paths: [String], expected: String) throws {
        let text = paths.map { path in
            let parts = path.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            return #"{"pathType":"\#(parts[0])","path":"\#(parts[1])","backend":{}}"#
        }
        let found = try finding(.ingress, Objects.ingress(paths: text.joined(separator: ",")))
        #expect(addresses(found) == ["https://example.org\(expected)"])
    }

    @Test("an Ingress without a host is noted")
    func noHost() throws {
        let found = try finding(.ingress, Objects.ingress(hosts: [""]))
        #expect(found?.targets.isEmpty == true)
        #expect(found?.notes == ["ingress shop/web: has no host; its annotation reachd.io/url can name one"])
    }

    @Test("an HTTPRoute has https, its paths' shortest, and the scheme of its annotation")
    func route() throws {
        #expect(addresses(try finding(.httpRoute, Objects.route())) == ["https://shop.example.org/cart"])
        let plain = Objects.route(
            hostnames: #"["a.example","b.example"]"#,
            matches: #"[{"path":{"type":"RegularExpression","value":"/v[0-9]+"}},{"method":"GET"}]"#,
            annotations: #""reachd.io/monitor":"true","reachd.io/scheme":"http""#
        )
        #expect(addresses(try finding(.httpRoute, plain)) == ["http://a.example/", "http://b.example/"])
        let none = try finding(.httpRoute, Objects.route(hostnames: "[]"))
        #expect(none?.targets.isEmpty == true && none?.notes.count == 1)
    }

    @Test("a Service has a target for each TCP port, by HTTP where the port says so")
    func service() throws {
        let ports = #"""
            {"type":"ClusterIP","clusterIP":"10.96.7.1","ports":[{"name":"http","port":80,"protocol":"TCP",
            "targetPort":8080},{"name":"web","port":8443,"protocol":"TCP","appProtocol":"https","targetPort":"tls"},
            {"name":"grpc","port":9000,"protocol":"TCP","targetPort":9000},{"name":"http-admin","port":8081},
            {"name":"dns","port":53,"protocol":"UDP","targetPort":53}]}
            """#.filter { $0 != "\n" }
        let found = try #require(try finding(.service, Objects.service(spec: ports)))
        #expect(
            found.targets.map(\.id) == [
                "k8s:shop:service:api:80", "k8s:shop:service:api:8443", "k8s:shop:service:api:9000",
                "k8s:shop:service:api:8081",
            ]
        )
        #expect(
            addresses(found) == [
                "http://api.shop.svc/", "https://api.shop.svc:8443/", "api.shop.svc:9000", "http://api.shop.svc:8081/",
            ]
        )
        #expect(found.targets.map(\.probe) == ["http", "http", "tcp", "http"])
        #expect(found.targets[2].name == "api.shop:9000")
        let domain = try finding(.service, Objects.service(spec: ports)) { $0.clusterDomain = "cluster.local" }
        #expect(addresses(domain)[2] == "api.shop.svc.cluster.local:9000")
        let chosen = Objects.service(
            spec: ports,
            annotations: #""reachd.io/monitor":"true","reachd.io/port":"grpc","reachd.io/name":"Stock""#
        )
        #expect(try finding(.service, chosen)?.targets.map(\.name) == ["Stock"])
    }

    @Test("a headless Service has the pods' ports; an ExternalName needs permission")
    func specialServices() throws {
        let headless = #"{"clusterIP":"None","ports":[{"port":80,"targetPort":5432},{"port":81,"targetPort":"x"}]}"#
        #expect(
            addresses(try finding(.service, Objects.service(spec: headless)))
                == ["api.shop.svc:5432", "api.shop.svc:81"]
        )
        let external = Objects.service(
            spec: #"{"type":"ExternalName","externalName":"metadata.internal","ports":[{"port":80}]}"#
        )
        let refused = try finding(.service, external)
        #expect(refused?.targets.isEmpty == true && refused?.notes.first?.contains("foreign_hosts") == true)
        #expect(
            addresses(try finding(.service, external) { $0.allowsForeignHosts = true }) == ["metadata.internal:80"]
        )
        let none = try finding(.service, Objects.service(spec: #"{"clusterIP":"10.0.0.1","ports":[{"port":99999}]}"#))
        #expect(none?.targets.isEmpty == true && none?.notes.count == 1)
    }

    @Test("a Node is asked by ICMP at its internal address")
    func node() throws {
        let found = try #require(try finding(.node, Objects.node()))
        #expect(
            found.targets == [
                .init(id: "k8s:node:worker-1", name: "worker-1", address: "192.0.2.11", probe: "icmp")
            ]
        )
        #expect(found.tags == ["kind": "node", "name": "worker-1"] && found.group == "nodes")
        let none = try finding(.node, Objects.node(addresses: #"[{"type":"InternalIP","address":"evil.example"}]"#))
        #expect(none?.targets.isEmpty == true && none?.notes.count == 1)
    }

    @Test("annotations name and group targets and choose URLs")
    func annotations() throws {
        let object = Objects.ingress(
            annotations: #"""
                "reachd.io/monitor":"true","reachd.io/name":"Shop","reachd.io/group":"Web",
                "reachd.io/path":"/health?full=1","reachd.io/scheme":"http"
                """#.filter { $0 != "\n" },
            hosts: ["a.example", "b.example"]
        )
        let found = try #require(try finding(.ingress, object))
        #expect(addresses(found) == ["http://a.example/health?full=1", "http://b.example/health?full=1"])
        #expect(found.targets.map(\.name) == ["Shop (a.example)", "Shop (b.example)"])
        #expect(found.group == "Web")
        let url = Objects.ingress(
            annotations: #""reachd.io/monitor":"true","reachd.io/url":"https://example.org:8443/x""#
        )
        let whole = try #require(try finding(.ingress, url))
        #expect(whole.targets.map(\.id) == ["k8s:shop:ingress:web"])
        #expect(addresses(whole) == ["https://example.org:8443/x"])
    }

    @Test(
        "an object's annotations lead to its own hosts only",
        arguments: [
            "https://evil.example/", "https://example.org@evil.example/", "https://example.org\\\\@evil.example/",
            "https://evil.example#example.org", "https://evil.example?example.org", "//example.org/",
            "https://example.org:x/", "https://[::1]/", "file:///etc/passwd", "https://example.org%2eevil.example/", "",
        ]
    )
    func foreignURL(url: String) throws {
        let object = Objects.ingress(annotations: #""reachd.io/monitor":"true","reachd.io/url":"\#(url)""#)
        let found = try finding(.ingress, object)
        #expect(found?.targets.isEmpty == true && found?.notes.count == 1)
    }

    @Test("faulty annotations are noted and have no effect")
    func faultyAnnotations() throws {
        let object = Objects.ingress(
            annotations: #"""
                "reachd.io/monitor":"true","reachd.io/name":"a\nb","reachd.io/group":"","reachd.io/path":"x",
                "reachd.io/scheme":"ftp","reachd.io/probe":"","reachd.io/prob":"x"
                """#.filter { $0 != "\n" }
        )
        let found = try #require(try finding(.ingress, object))
        #expect(addresses(found) == ["https://example.org/"])
        #expect(found.group == "shop" && found.targets[0].name == "example.org" && found.probe == nil)
        #expect(found.notes.count == 6)
    }

    @Test("the annotation's probe is a block whose lines are no keys of the target")
    func declaration() throws {
        let object = Objects.ingress(
            annotations:
                #""reachd.io/monitor":"true","reachd.io/probe":"type: http\ninterval: 10s\rhost: x\u0085id: y""#
        )
        let item = try #require(try finding(.ingress, object)?.items(place: "ingress shop/web").first)
        #expect(
            item.declaration?.text
                == "group: \"shop\"\nprobe:\n  type: http\n  interval: 10s\r  host: x\u{85}  id: y"
        )
        #expect(item.declaration?.document == "ingress shop/web, annotation reachd.io/probe")
        #expect(item.labels.last == .init("__param_module", "http"))
    }

    @Test("ids are valid and different for long and odd names")
    func ids() throws {
        let long = String(repeating: "a", count: 120)
        let objects = [
            Objects.ingress(long + "1"), Objects.ingress(long + "2"), Objects.ingress("a:b"), Objects.ingress("a_"),
        ]
        let ids = try objects.compactMap { try finding(.ingress, $0)?.targets.first?.id }
        #expect(Set(ids).count == 4)
        #expect(ids.allSatisfy { $0.utf8.count <= 128 && $0.hasPrefix("k8s:shop:ingress:a") })
        #expect(ids[2] != "k8s:shop:ingress:a:b:example.org")
    }

    @Test("lists of an object are bounded")
    func bounds() throws {
        let hosts = (0..<400).map { "h\($0).example" }
        let found = try #require(try finding(.ingress, Objects.ingress(hosts: hosts)))
        #expect(found.targets.count == 256)
        #expect(found.notes == ["ingress shop/web: has more hosts, paths or ports than are read"])
    }
}
