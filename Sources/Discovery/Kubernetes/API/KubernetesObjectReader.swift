// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// Reads objects of the Kubernetes API. Members that are unknown or of another type than documented are ignored; lists and texts
/// beyond ``KubernetesObject/Limit`` are cut or left out.
struct KubernetesObjectReader {
    /// The prefix of annotations for reachd.
    static let annotationPrefix = "reachd.io/"

    let resource: KubernetesResource
    /// The names of the labels that are kept.
    let labels: Set<String>

    /// Reads the object that comes next.
    ///
    /// - Throws: ``JSONError`` when it is not JSON.
    func read(_ reader: inout JSONReader) throws(JSONError) -> KubernetesObject {
        var object = KubernetesObject(content: emptyContent)
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "metadata": try readMetadata(&reader, &object)
            case "spec": try readSpec(&reader, &object)
            case "status" where resource == .node: try readNodeStatus(&reader, &object)
            default: try reader.skip()
            }
        }
        return object
    }

    private var emptyContent: KubernetesObject.Content {
        switch resource {
        case .ingress: .routes(KubernetesRoutes(secureHosts: []))
        case .httpRoute: .routes(KubernetesRoutes())
        case .service: .service(KubernetesService())
        case .node: .node([])
        }
    }

    private func readMetadata(_ reader: inout JSONReader, _ object: inout KubernetesObject) throws(JSONError) {
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "namespace": object.key.namespace = try reader.text() ?? ""
            case "name": object.key.name = try reader.text() ?? ""
            case "resourceVersion": object.resourceVersion = try reader.text() ?? ""
            case "annotations":
                try reader.eachMember { (reader, name) throws(JSONError) in
                    guard name.hasPrefix(Self.annotationPrefix) else {
                        try reader.skip()
                        return
                    }
                    let value = try reader.text(limit: KubernetesObject.Limit.annotation)
                    if object.annotations.count < 16 {
                        // A text beyond the limit counts as empty, which each annotation refuses.
                        object.annotations[String(name.dropFirst(Self.annotationPrefix.count))] = value ?? ""
                    }
                }
            case "labels":
                try reader.eachMember { (reader, name) throws(JSONError) in
                    guard labels.contains(name) else {
                        try reader.skip()
                        return
                    }
                    object.labels[name] = try reader.text()
                }
            default: try reader.skip()
            }
        }
    }

    private func readSpec(_ reader: inout JSONReader, _ object: inout KubernetesObject) throws(JSONError) {
        switch object.content {
        case .routes(var routes):
            if resource == .ingress {
                object.isCut = try routes.readIngress(&reader)
            } else {
                object.isCut = try routes.readHTTPRoute(&reader)
            }
            object.content = .routes(routes)
        case .service(var service):
            object.isCut = try service.readSpec(&reader)
            object.content = .service(service)
        case .node: try reader.skip()
        }
    }

    private func readNodeStatus(_ reader: inout JSONReader, _ object: inout KubernetesObject) throws(JSONError) {
        var addresses: [String] = []
        try reader.eachMember { (reader, name) throws(JSONError) in
            guard name == "addresses" else {
                try reader.skip()
                return
            }
            try reader.eachElement { (reader) throws(JSONError) in
                var type: String?
                var address: String?
                try reader.eachMember { (reader, name) throws(JSONError) in
                    switch name {
                    case "type": type = try reader.text()
                    case "address": address = try reader.text()
                    default: try reader.skip()
                    }
                }
                guard type == "InternalIP", let address, addresses.count < 8 else { return }
                addresses.append(address)
            }
        }
        object.content = .node(addresses)
    }
}

extension JSONReader {
    /// Reads an object member by member; another value is skipped.
    ///
    /// - Parameter body: Reads or skips the value of each member.
    mutating func eachMember(
        _ body: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try kind() == .object else {
            try skip()
            return
        }
        try beginObject()
        while let name = try nextName() { try body(&self, name) }
    }

    /// Reads an array element by element; another value is skipped.
    ///
    /// - Parameter body: Reads or skips each element.
    mutating func eachElement(_ body: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard try kind() == .array else {
            try skip()
            return
        }
        try beginArray()
        while try nextElement() { try body(&self) }
    }

    /// A text; nil for another value, which is skipped, and for a text with more bytes than the limit.
    mutating func text(limit: Int = KubernetesObject.Limit.text) throws(JSONError) -> String? {
        guard try kind() == .string else {
            try skip()
            return nil
        }
        let text = try string()
        return text.utf8.count <= limit ? text : nil
    }

    /// A whole number that fits; nil for another value, which is skipped.
    mutating func wholeNumber() throws(JSONError) -> Int? {
        guard try kind() == .number else {
            try skip()
            return nil
        }
        return Int(try number())
    }
}
