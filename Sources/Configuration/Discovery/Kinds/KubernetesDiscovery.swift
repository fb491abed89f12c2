// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import Probing
import Schema

extension DiscoveryKind {
    /// Objects of Kubernetes clusters.
    static let kubernetes = DiscoveryKind(
        "kubernetes",
        title: "a Kubernetes cluster",
        fields: [
            Field(
                "api",
                .text(.script),
                example: "https://cluster.example.org:6443",
                synonyms: ["url", "server", "api_server"],
                "The URL of the API server. Default: in a pod the cluster's, with the token and the CA of the service account."
            ),
            Field(
                "resources",
                .oneOrMore(.choice(KubernetesResource.allCases.map { .init($0.rawValue, synonyms: $0.synonyms) })),
                example: "[ ingress, httproute ]",
                synonyms: ["kinds", "role", "roles"],
                "The watched resources. Default: all; with namespaces all but node."
            ),
            Field(
                "namespaces",
                .oneOrMore(.text(.line)),
                example: "[ shop, blog ]",
                synonyms: ["namespace"],
                "The watched namespaces, at most \(KubernetesSettings.namespaceLimit). Default: all."
            ),
            Field(
                "label_selector",
                .text(.line),
                example: "tier in (web, api)",
                synonyms: ["selector", "labels_selector"],
                "A label selector, which the API server applies to all resources."
            ),
            Field(
                "all",
                .boolean,
                defaultValue: "false",
                synonyms: ["monitor_all", "opt_out"],
                "Whether objects are monitored without the annotation reachd.io/monitor: \"true\"; \"false\" excludes them."
            ),
            Field(
                "label_tags",
                .oneOrMore(.text(.line)),
                example: "[ app.kubernetes.io/name ]",
                "The labels of objects that become tags of their targets, at most 32."
            ),
            Field(
                "cluster_domain",
                .text(.line),
                example: "cluster.local",
                synonyms: ["domain"],
                "The cluster's domain, appended to the names of Services. Default: none, the resolver's search list decides."
            ),
            Field(
                "foreign_hosts",
                .boolean,
                defaultValue: "false",
                synonyms: ["allow_foreign_hosts"],
                "Whether annotations and ExternalName services may lead to other hosts than the object's own."
            ),
            Field(
                "resync",
                .duration(milliseconds: 60_000...86_400_000),
                defaultValue: "1h",
                synonyms: ["resync_interval", "refresh"],
                "How often all objects are listed again, besides the watch."
            ),
        ] + SourceConnection.fields,
        example: "{ resources: [ ingress ], all: true }",
        synonyms: ["k8s", "kubernetes_sd_configs"],
        isRestricted: true,
        "Ingresses, HTTPRoutes, Services and Nodes of Kubernetes clusters, which are watched."
    ) { declaration in
        let object = declaration.object
        var settings = KubernetesSettings()
        readServer(&settings, &declaration)
        settings.resources = object.texts("resources").compactMap(KubernetesResource.init)
        settings.namespaces = object.texts("namespaces")
        settings.labels = object.texts("label_tags")
        settings.labelSelector = object.text("label_selector") ?? ""
        settings.monitorsAll = object.boolean("all") ?? false
        settings.group = object.text("group")
        settings.clusterDomain = object.text("cluster_domain")
        settings.allowsForeignHosts = object.boolean("foreign_hosts") ?? false
        if let resync = object.duration("resync") { settings.resync = resync }
        for (key, words) in settings.faults { declaration.add(.invalidValue, at: key, words) }
        return declaration.diagnostics.isEmpty ? settings : nil
    }

    private static func readServer(_ settings: inout KubernetesSettings, _ declaration: inout MappingDiagnostics) {
        if let text = declaration.object.text("api") {
            do throws(HTTPURLError) {
                _ = try HTTPURL(text)
                if text.contains("?") || text.contains("#") {
                    declaration.add(.invalidValue, at: "api", "the URL has a query or a fragment")
                }
                settings.server.url = String(text.reversed().drop { $0 == "/" }.reversed())
            } catch {
                declaration.add(.invalidValue, at: "api", error.message)
            }
        }
        let connection = SourceConnection(&declaration)
        settings.server.authorization = connection.authorization
        settings.server.authorities = connection.authorities
        settings.server.clientCertificate = connection.clientCertificate
        settings.server.clientKey = connection.clientKey
        settings.server.verifies = connection.verifies
    }
}

extension KubernetesResource {
    fileprivate var synonyms: [String] {
        switch self {
        case .ingress: ["ingresses"]
        case .httpRoute: ["httproutes", "http_route", "route"]
        case .service: ["services"]
        case .node: ["nodes"]
        }
    }
}
