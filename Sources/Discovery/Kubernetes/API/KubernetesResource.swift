// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
        return "\(root)/namespaces/\(URLQuery.escape(namespace))/\(plural)"
    }
}

/// Parts of a URL.
enum URLQuery {
    /// The text with everything but unreserved characters in percent encoding (RFC 3986, section 2.3).
    static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.append(byte)
            default:
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
