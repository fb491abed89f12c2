// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// A kind of object that targets are made of, as a resource of the Kubernetes API.
package enum KubernetesResource: String, Sendable, Hashable, CaseIterable {
    case ingress
    case httpRoute = "httproute"
    case service
    case node

    /// The API group; "" for the core group.
    var group: String {
        switch self {
        case .ingress: "networking.k8s.io"
        case .httpRoute: "gateway.networking.k8s.io"
        case .service, .node: ""
        }
    }

    /// The name in paths and in the rules of roles.
    var plural: String {
        switch self {
        case .ingress: "ingresses"
        case .httpRoute: "httproutes"
        case .service: "services"
        case .node: "nodes"
        }
    }

    /// The name for people and in the rules of roles: `ingresses.networking.k8s.io`.
    var fullName: String { group.isEmpty ? plural : "\(plural).\(group)" }

    /// Whether objects belong to a namespace.
    var isNamespaced: Bool { self != .node }

    /// Whether a cluster may lack the resource: Gateway API is installed separately.
    var isOptional: Bool { self == .httpRoute }

    /// The path of the collection.
    ///
    /// - Parameter namespace: The namespace; nil for all, and for resources without namespaces.
    func path(in namespace: String?) -> String {
        let root = group.isEmpty ? "/api/v1" : "/apis/\(group)/v1"
        guard isNamespaced, let namespace else { return "\(root)/\(plural)" }
        return "\(root)/namespaces/\(URLText.escaped(namespace))/\(plural)"
    }
}
