// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension KubernetesSettings: DiscoverySourceSettings {
    /// The most namespaces: each costs a thread and a connection for every resource.
    package static let namespaceLimit = 16
    /// The most labels that become tags; a target has at most 64 tags.
    package static let labelLimit = 32

    /// See the protocol.
    package func makeSource() -> any DiscoverySource { KubernetesSource(self) }

    /// What is wrong with the values, by their keys in the configuration.
    package var faults: [(key: String, words: String)] {
        var faults: [(key: String, words: String)] = []
        for namespace in namespaces where !KubernetesName.isHost(namespace) || namespace.contains(".") {
            faults.append(("namespaces", "\(namespace.debugDescription) is not the name of a namespace"))
        }
        if namespaces.count > Self.namespaceLimit {
            faults.append(
                ("namespaces", "there are more than \(Self.namespaceLimit) namespaces; without any all are watched")
            )
        }
        if Set(namespaces).count < namespaces.count { faults.append(("namespaces", "a namespace occurs twice")) }
        if Set(resources).count < resources.count { faults.append(("resources", "a resource occurs twice")) }
        if labels.count > Self.labelLimit {
            faults.append(("label_tags", "there are more than \(Self.labelLimit) labels"))
        }
        if let clusterDomain, !KubernetesName.isHost(clusterDomain) {
            faults.append(("cluster_domain", "\(clusterDomain.debugDescription) is not a domain in small letters"))
        }
        return faults
    }
}
