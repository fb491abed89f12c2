// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What targets need of an object. Everything in it is the API server's, and so the text of users who may create objects.
struct KubernetesObject: Sendable, Hashable {
    /// The names of an object, unique for its resource.
    struct Key: Sendable, Hashable, Comparable {
        /// The namespace; "" for resources without namespaces.
        var namespace = ""
        var name = ""

        static func < (left: Key, right: Key) -> Bool { (left.namespace, left.name) < (right.namespace, right.name) }
    }

    /// What is particular to a resource.
    enum Content: Sendable, Hashable {
        /// An Ingress or an HTTPRoute.
        case routes(KubernetesRoutes)
        case service(KubernetesService)
        /// The internal addresses of a node.
        case node([String])
    }

    /// Limits of one object, so that no namespace fills the memory.
    enum Limit {
        /// Entries of a list, such as hosts, paths and ports.
        static let entries = 256
        /// Bytes of a text that is kept.
        static let text = 2_048
        /// Bytes of an annotation that is kept.
        static let annotation = 16_384
    }

    var key = Key()
    var resourceVersion = ""
    /// The annotations that begin with `reachd.io/`, by the rest of their names.
    var annotations: [String: String] = [:]
    /// The labels that become tags.
    var labels: [String: String] = [:]
    var content: Content
    /// Whether a list was longer than is kept.
    var isCut = false
}

/// The hosts of an Ingress or an HTTPRoute with their paths.
struct KubernetesRoutes: Sendable, Hashable {
    /// A path of a rule.
    struct Path: Sendable, Hashable {
        /// Whether the text is or may be a regular expression.
        var isPattern = false
        var text = ""
    }

    /// A host with the paths of its rules.
    struct Host: Sendable, Hashable {
        var name: String
        var paths: [Path] = []
    }

    /// The hosts, each once, in the order of the object.
    var hosts: [Host] = []
    /// The hosts that an Ingress serves over TLS; nil for an HTTPRoute, whose Gateway decides that.
    var secureHosts: [String]?
    /// Whether a rule is for every host.
    var hasRuleForAll = false
}

/// The ports of a Service.
struct KubernetesService: Sendable, Hashable {
    /// A port.
    struct Port: Sendable, Hashable {
        var name = ""
        var number = 0
        /// The port of the pods, if it is a number.
        var target: Int?
        var transport = "TCP"
        var application = ""
    }

    var ports: [Port] = []
    /// The name that an ExternalName service stands for.
    var externalName: String?
    /// Whether its name resolves to the pods' addresses.
    var isHeadless = false
}
