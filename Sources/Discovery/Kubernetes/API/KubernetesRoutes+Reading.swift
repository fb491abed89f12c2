// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

extension KubernetesRoutes {
    /// Reads the `spec` of an Ingress (networking.k8s.io/v1).
    ///
    /// - Returns: Whether something was cut.
    mutating func readIngress(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        var isCut = false
        var secure: [String] = []
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "defaultBackend": hasRuleForAll = try reader.isObject() || hasRuleForAll
            case "rules":
                try reader.eachElement { (reader) throws(JSONError) in
                    let (host, paths) = try Self.rule(&reader, &isCut)
                    if let host, !host.isEmpty {
                        add(host, paths, &isCut)
                    } else {
                        hasRuleForAll = true
                    }
                }
            case "tls":
                try reader.eachElement { (reader) throws(JSONError) in
                    try reader.eachMember { (reader, name) throws(JSONError) in
                        guard name == "hosts" else {
                            try reader.skip()
                            return
                        }
                        try reader.eachElement { (reader) throws(JSONError) in
                            guard let host = try reader.text() else { return }
                            if secure.count < KubernetesObject.Limit.entries { secure.append(host.lowercased()) }
                        }
                    }
                }
            default: try reader.skip()
            }
        }
        secureHosts = secure
        return isCut
    }

    /// Reads the `spec` of an HTTPRoute (gateway.networking.k8s.io/v1): every host has the paths of all rules.
    ///
    /// - Returns: Whether something was cut.
    mutating func readHTTPRoute(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        var isCut = false
        var names: [String] = []
        var paths: [Path] = []
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "hostnames":
                try reader.eachElement { (reader) throws(JSONError) in
                    guard let host = try reader.text() else { return }
                    names.append(host)
                }
            case "rules":
                try reader.eachElement { (reader) throws(JSONError) in
                    try reader.eachMember { (reader, name) throws(JSONError) in
                        guard name == "matches" else {
                            try reader.skip()
                            return
                        }
                        try reader.eachElement { (reader) throws(JSONError) in
                            guard let path = try Self.match(&reader) else { return }
                            Self.append(path, to: &paths, &isCut)
                        }
                    }
                }
            default: try reader.skip()
            }
        }
        hasRuleForAll = names.isEmpty
        for name in names { add(name, paths, &isCut) }
        return isCut
    }

    /// A rule of an Ingress.
    private static func rule(
        _ reader: inout JSONReader,
        _ isCut: inout Bool
    ) throws(JSONError) -> (host: String?, paths: [Path]) {
        var host: String?
        var paths: [Path] = []
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "host": host = try reader.text()
            case "http":
                try reader.eachMember { (reader, name) throws(JSONError) in
                    guard name == "paths" else {
                        try reader.skip()
                        return
                    }
                    try reader.eachElement { (reader) throws(JSONError) in
                        append(try path(&reader, type: "pathType", text: "path"), to: &paths, &isCut)
                    }
                }
            default: try reader.skip()
            }
        }
        return (host, paths)
    }

    /// A match of an HTTPRoute; nil for one without a path.
    private static func match(_ reader: inout JSONReader) throws(JSONError) -> Path? {
        var found: Path?
        try reader.eachMember { (reader, name) throws(JSONError) in
            guard name == "path" else {
                try reader.skip()
                return
            }
            found = try path(&reader, type: "type", text: "value")
        }
        return found
    }

    /// A path with its type. `Prefix`, `PathPrefix` and `Exact` are literal; the meaning of other types is the controller's, which
    /// are regular expressions for many.
    private static func path(
        _ reader: inout JSONReader,
        type typeName: String,
        text textName: String
    ) throws(JSONError) -> Path {
        var path = Path()
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case typeName:
                let type = try reader.text()
                path.isPattern = type != "Prefix" && type != "PathPrefix" && type != "Exact"
            case textName: path.text = try reader.text() ?? ""
            default: try reader.skip()
            }
        }
        return path
    }

    private static func append(_ path: Path, to paths: inout [Path], _ isCut: inout Bool) {
        guard !paths.contains(path) else { return }
        if paths.count < KubernetesObject.Limit.entries { paths.append(path) } else { isCut = true }
    }

    /// Adds a host, or the paths of one that occurred before.
    private mutating func add(_ name: String, _ paths: [Path], _ isCut: inout Bool) {
        let name = name.lowercased()
        if let index = hosts.firstIndex(where: { $0.name == name }) {
            for path in paths { Self.append(path, to: &hosts[index].paths, &isCut) }
        } else if hosts.count < KubernetesObject.Limit.entries {
            hosts.append(Host(name: name, paths: paths))
        } else {
            isCut = true
        }
    }
}

extension KubernetesService {
    /// Reads the `spec` of a Service (v1).
    ///
    /// - Returns: Whether something was cut.
    mutating func readSpec(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        var isCut = false
        var type: String?
        var name: String?
        try reader.eachMember { (reader, member) throws(JSONError) in
            switch member {
            case "type": type = try reader.text()
            case "clusterIP": isHeadless = try reader.text() == "None"
            case "externalName": name = try reader.text()
            case "ports":
                try reader.eachElement { (reader) throws(JSONError) in
                    let port = try Self.port(&reader)
                    if ports.count < KubernetesObject.Limit.entries { ports.append(port) } else { isCut = true }
                }
            default: try reader.skip()
            }
        }
        externalName = type == "ExternalName" ? name ?? "" : nil
        return isCut
    }

    private static func port(_ reader: inout JSONReader) throws(JSONError) -> Port {
        var port = Port()
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "name": port.name = try reader.text() ?? ""
            case "port": port.number = try reader.wholeNumber() ?? 0
            case "targetPort": port.target = try reader.wholeNumber()
            case "protocol": port.transport = try reader.text() ?? "TCP"
            case "appProtocol": port.application = try reader.text() ?? ""
            default: try reader.skip()
            }
        }
        return port
    }
}

extension JSONReader {
    /// Skips a value, and returns whether it is an object.
    fileprivate mutating func isObject() throws(JSONError) -> Bool {
        let isObject = try kind() == .object
        try skip()
        return isObject
    }
}
