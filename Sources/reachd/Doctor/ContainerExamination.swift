// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ReachAPI

/// Whether this is a container, and whose network is seen from here.
enum ContainerExamination {
    static func check(_ environment: [String: String]) -> DiagnosisListing.Check {
        let container = container(environment)
        let place = container.map { "in a container (\($0))" } ?? "not in a container"
        switch isOwnNetwork {
        case true?:
            return DiagnosisListing.Check(
                "network_namespace",
                .warn,
                "\(place), in a network namespace of its own: what is watched are its links and routes, not the machine's",
                advice: "for the machine's own paths run reachd in its namespace, such as with --network host"
            )
        case false?:
            return DiagnosisListing.Check("network_namespace", .ok, "\(place), in the network namespace of process 1")
        case nil where container != nil:
            return DiagnosisListing.Check(
                "network_namespace",
                .warn,
                "\(place), perhaps in a network namespace of its own: what is watched are its links and routes then",
                advice: "for the machine's own paths run reachd in its namespace, such as with --network host"
            )
        case nil:
            return DiagnosisListing.Check(
                "network_namespace",
                .ok,
                "\(place); whether the network namespace is that of process 1 only root can see"
            )
        }
    }

    /// Whether the network namespace is another than that of process 1; nil when nobody tells us.
    private static var isOwnNetwork: Bool? {
        guard let own = SystemFile.link("/proc/self/ns/net"), let first = SystemFile.link("/proc/1/ns/net") else {
            return nil
        }
        return own != first
    }

    private static func container(_ environment: [String: String]) -> String? {
        if environment["KUBERNETES_SERVICE_HOST"] != nil { return "Kubernetes" }
        if SystemFile.exists("/.dockerenv") { return "Docker" }
        if SystemFile.exists("/run/.containerenv") { return "Podman" }
        if let name = environment["container"], !name.isEmpty { return name }
        let groups = SystemFile.text("/proc/1/cgroup") ?? ""
        return ["docker", "kubepods", "lxc", "containerd"].first { groups.contains($0) }
    }
}
