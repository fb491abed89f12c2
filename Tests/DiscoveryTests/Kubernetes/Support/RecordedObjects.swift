// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Objects as API servers of Kubernetes 1.31 send them, with the members that discovery ignores.
enum RecordedObjects {
    /// An Ingress for nginx with two hosts, one with TLS.
    static func ingress(
        _ name: String = "web",
        namespace: String = "shop",
        version: String = "2001",
        annotations: String = #""reachd.io/monitor":"true""#,
        hosts: [String] = ["example.org"],
        paths: String = #"{"path":"/","pathType":"Prefix","backend":{"service":{"name":"web","port":{"number":80}}}}"#,
        tls: String = #"[{"hosts":["example.org"],"secretName":"web-tls"}]"#,
        labels: String = #""app.kubernetes.io/name":"web""#
    ) -> String {
        let rules = hosts.map { #"{"host":"\#($0)","http":{"paths":[\#(paths)]}}"# }.joined(separator: ",")
        return #"""
            {"metadata":{"name":"\#(name)","namespace":"\#(namespace)","uid":"c9a1d1d0-4f0c-4a4e-9d0b-6d0c0d6f3a11",
            "resourceVersion":"\#(version)","generation":1,"creationTimestamp":"2026-10-02T09:11:24Z",
            "labels":{\#(labels)},"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"a\":1}\n"
            \#(annotations.isEmpty ? "" : ",")\#(annotations)},
            "managedFields":[{"manager":"kubectl","operation":"Update","apiVersion":"networking.k8s.io/v1",
            "time":"2026-10-02T09:11:24Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:rules":{}}}}]},
            "spec":{"ingressClassName":"nginx","tls":\#(tls),"rules":[\#(rules)]},
            "status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.7"}]}}}
            """#.filter { $0 != "\n" }
    }

    /// An HTTPRoute of Gateway API 1.2.
    static func route(
        _ name: String = "shop",
        hostnames: String = #"["shop.example.org"]"#,
        matches: String = #"[{"path":{"type":"PathPrefix","value":"/cart"}}]"#,
        annotations: String = #""reachd.io/monitor":"true""#
    ) -> String {
        #"""
        {"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"\#(name)",
        "namespace":"shop","resourceVersion":"2101","generation":1,"annotations":{\#(annotations)}},
        "spec":{"parentRefs":[{"group":"gateway.networking.k8s.io","kind":"Gateway","name":"public","namespace":"infra"}],
        "hostnames":\#(hostnames),"rules":[{"matches":\#(matches),"backendRefs":[{"kind":"Service","name":"shop",
        "port":8080,"weight":1}]}]},"status":{"parents":[]}}
        """#.filter { $0 != "\n" }
    }

    /// A Service.
    static func service(
        _ name: String = "api",
        spec: String,
        annotations: String = #""reachd.io/monitor":"true""#
    ) -> String {
        #"""
        {"metadata":{"name":"\#(name)","namespace":"shop","resourceVersion":"2201","annotations":{\#(annotations)},
        "labels":{"app":"api"}},"spec":\#(spec),"status":{"loadBalancer":{}}}
        """#.filter { $0 != "\n" }
    }

    /// A Node.
    static func node(
        _ name: String = "worker-1",
        addresses: String =
            #"[{"type":"InternalIP","address":"192.0.2.11"},{"type":"Hostname","address":"worker-1"}]"#
    ) -> String {
        #"""
        {"metadata":{"name":"\#(name)","resourceVersion":"2301","annotations":{"reachd.io/monitor":"true",
        "node.alpha.kubernetes.io/ttl":"0"}},"spec":{"podCIDR":"10.244.1.0/24"},"status":{"addresses":\#(addresses),
        "conditions":[{"type":"Ready","status":"True"}]}}
        """#.filter { $0 != "\n" }
    }

    /// A list with objects.
    static func list(_ objects: [String], version: String = "3000", next: String? = nil) -> String {
        let page = next.map { #","continue":"\#($0)","remainingItemCount":1"# } ?? ""
        let items = objects.joined(separator: ",")
        return
            #"{"kind":"IngressList","apiVersion":"networking.k8s.io/v1","metadata":{"resourceVersion":"\#(version)"\#(page)},"#
            + #""items":[\#(items)]}"# + "\n"
    }

    /// A line of a watch.
    static func event(_ type: String, _ object: String) -> String { #"{"type":"\#(type)","object":\#(object)}"# + "\n" }

    /// A bookmark.
    static func bookmark(_ version: String) -> String {
        event(
            "BOOKMARK",
            #"{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"resourceVersion":"\#(version)"},"spec":{}}"#
        )
    }

    /// A status object.
    static func status(_ code: Int, _ reason: String, _ message: String) -> String {
        #"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"\#(message)","#
            + #""reason":"\#(reason)","code":\#(code)}"#
    }
}
