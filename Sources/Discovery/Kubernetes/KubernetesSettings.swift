// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import BlockingHTTP

/// What is watched in a cluster, and which targets are made of it.
package struct KubernetesSettings: Sendable, Hashable {
    /// The connection to the API server.
    package struct Server: Sendable, Hashable {
        /// The base URL, `https://10.96.0.1:443`; nil for the cluster of the pod.
        package var url: String?
        /// The credentials; nil for the pod's token, or with a URL for none.
        package var authorization: HTTPAuthorization?
        /// The file of the certificate authorities; nil for the pod's, or with a URL for the system's.
        package var authorities: String?
        /// The file of the client's certificate and its chain (PEM); nil for none.
        package var clientCertificate: String?
        /// The file of the certificate's key (PEM); nil if it is in the certificate's file.
        package var clientKey: String?
        /// Whether the server's certificate is verified.
        package var verifies = true

        package init() {}
    }

    /// The connection.
    package var server = Server()
    /// The watched resources; empty for all that the namespaces permit.
    package var resources: [KubernetesResource] = []
    /// The watched namespaces; empty for all.
    package var namespaces: [String] = []
    /// The label selector that the API server applies; "" for none.
    package var labelSelector = ""
    /// Whether objects are monitored without an annotation.
    package var monitorsAll = false
    /// The labels that become tags.
    package var labels: [String] = []
    /// The group of the targets; nil for their namespaces.
    package var group: String?
    /// The cluster's domain, appended to the names of Services; nil to leave it to the resolver.
    package var clusterDomain: String?
    /// Whether annotations and ExternalName services may lead to other hosts than the object's own.
    package var allowsForeignHosts = false
    /// How often everything is listed again.
    package var resync = Duration.seconds(3_600)

    package init() {}

    /// The resources to watch: with namespaces and without a choice those that belong to namespaces.
    package var watchedResources: [KubernetesResource] {
        guard resources.isEmpty else { return KubernetesResource.allCases.filter(resources.contains) }
        return KubernetesResource.allCases.filter { namespaces.isEmpty || $0.isNamespaced }
    }
}
