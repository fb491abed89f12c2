// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// A finding while it is made, with the annotations of its object.
struct KubernetesDraft {
    let key: KubernetesObject.Key
    /// The annotation `reachd.io/scheme`.
    private(set) var scheme: String?
    /// The annotation `reachd.io/path`.
    private(set) var path: String?
    private(set) var finding = KubernetesFinding()
    private let kind: String
    private let allowsForeignHosts: Bool
    private var name: String?
    private var url: String?
    private var port: String?

    init(_ object: KubernetesObject, _ settings: KubernetesSettings, kind: String) {
        key = object.key
        self.kind = kind
        allowsForeignHosts = settings.allowsForeignHosts
        finding.tags = object.labels
        if !key.namespace.isEmpty { finding.tags["namespace"] = key.namespace }
        finding.tags["kind"] = kind
        finding.tags["name"] = key.name
        finding.group = settings.group ?? (key.namespace.isEmpty ? "nodes" : key.namespace)
        finding.isConfined = !settings.allowsForeignHosts
        for (annotation, value) in object.annotations.sorted(by: { $0.key < $1.key }) { take(annotation, value) }
    }

    /// Notes a part that was left out.
    ///
    /// - Parameter words: A predicate whose subject is the object, or a sentence on its part.
    mutating func note(_ words: String) {
        guard finding.notes.count < 8 else { return }
        let object = key.namespace.isEmpty ? key.name : "\(key.namespace)/\(key.name)"
        finding.notes.append(DisplayText.line("\(kind) \(object): \(words)", limit: 400))
    }

    // MARK: Annotations

    private mutating func take(_ annotation: String, _ value: String) {
        switch annotation {
        case "monitor":
            if value != "true", value != "false" { refuse(annotation, "is neither \"true\" nor \"false\"") }
        case "name" where Self.isLine(value): name = value
        case "group" where Self.isLine(value): finding.group = value
        case "name", "group": refuse(annotation, "is not a line of at most 256 bytes")
        case "scheme" where value == "http" || value == "https": scheme = value
        case "scheme": refuse(annotation, "is neither http nor https")
        case "path" where KubernetesPath.isPath(value): path = value
        case "path": refuse(annotation, "is not the path of a URL, which begins with /")
        case "port": port = value
        case "url": url = value
        case "probe" where value.isEmpty: refuse(annotation, "is empty or longer than 16 KiB")
        case "probe": finding.probe = value
        default: refuse(annotation, "is unknown")
        }
    }

    private mutating func refuse(_ annotation: String, _ words: String) {
        note("the annotation reachd.io/\(annotation) \(words)")
    }

    private static func isLine(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(DisplayText.isAllowedInLine)
    }

    /// The ports that `reachd.io/port` chooses by name or number; all without it.
    mutating func choose(_ ports: [KubernetesService.Port]) -> [KubernetesService.Port] {
        guard let port else { return ports }
        let chosen = ports.filter { $0.name == port || "\($0.number)" == port }
        if chosen.isEmpty { refuse("port", "names no TCP port of the service") }
        return chosen
    }

    // MARK: Targets

    /// Adds the target of `reachd.io/url`, which replaces all others.
    ///
    /// - Parameter own: The hosts of the object.
    /// - Returns: Whether the object has the annotation.
    mutating func addURL(own: [String]) -> Bool {
        guard let url else { return false }
        guard let host = Self.host(of: url) else {
            refuse("url", "is not a URL of http or https without user and fragment")
            return true
        }
        guard allowsForeignHosts || own.contains(host) else {
            refuse("url", "leads to \(host), which is not a host of the object; foreign_hosts: true permits it")
            return true
        }
        add(part: "", name: url, address: url, probe: "http", isOnly: true)
        return true
    }

    /// Adds a target.
    ///
    /// - Parameters:
    ///   - part: What makes the id unique within the object; "" for the object as a whole.
    ///   - name: The name without an annotation.
    ///   - isOnly: Whether the object has no other target, so that the annotation's name needs no addition.
    mutating func add(part: String, name: String, address: String, probe: String, isOnly: Bool) {
        let owner = key.namespace.isEmpty ? ["k8s", kind] : ["k8s", key.namespace, kind]
        let id = DiscoveredItem.identifier(owner + [key.name] + (part.isEmpty ? [] : [part]))
        guard !finding.targets.contains(where: { $0.id == id }) else { return }
        let given = self.name.map { isOnly ? $0 : "\($0) (\(part))" }
        finding.targets.append(.init(id: id, name: given ?? name, address: address, probe: probe))
    }

    /// The host of a URL in lower case; nil for a text that another reader might take for a URL of another host.
    static func host(of url: String) -> String? {
        guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !refused.contains($0) }),
            let prefix = ["http://", "https://"].first(where: url.hasPrefix)
        else { return nil }
        let authority = url.dropFirst(prefix.count).prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host = parts[0].lowercased()
        guard KubernetesName.isHost(host) else { return nil }
        if parts.count == 2 {
            guard parts[1].utf8.count <= 5, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = Int(parts[1]), (1...65_535).contains(port)
            else { return nil }
        }
        return host
    }

    private static let refused = Array("\"<>\\^`{|}#@".utf8)
}
