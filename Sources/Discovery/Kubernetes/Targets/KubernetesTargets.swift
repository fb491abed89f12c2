// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// The rules by which objects become targets; pure.
///
/// Users who may create objects in a namespace write what is read here. So an object leads to its own hosts only, unless
/// ``KubernetesSettings/allowsForeignHosts`` permits others.
struct KubernetesTargets: Sendable {
    private let settings: KubernetesSettings

    private let resource: KubernetesResource

    init(of resource: KubernetesResource, _ settings: KubernetesSettings) {
        self.resource = resource
        self.settings = settings
    }

    /// What follows from an object; nil if it is not monitored.
    func finding(of object: KubernetesObject) -> KubernetesFinding? {
        guard !object.key.name.isEmpty, settings.isMonitored(object) else { return nil }
        var draft = KubernetesDraft(object, settings, kind: resource.rawValue)
        if object.isCut { draft.note("has more hosts, paths or ports than are read") }
        switch object.content {
        case .routes(let routes): add(routes, &draft)
        case .service(let service): add(service, &draft)
        case .node(let addresses): add(addresses, &draft)
        }
        return draft.finding
    }

    // MARK: Ingress and HTTPRoute

    private func add(_ routes: KubernetesRoutes, _ draft: inout KubernetesDraft) {
        let hosts = routes.hosts.filter { host in
            guard host.name.hasPrefix("*") else { return true }
            draft.note("the host \(host.name) is a wildcard, for which no name can be probed")
            return false
        }
        if draft.addURL(own: hosts.map(\.name)) { return }
        if routes.hasRuleForAll, hosts.isEmpty { draft.note("has no host; its annotation reachd.io/url can name one") }
        for host in hosts {
            guard KubernetesName.isHost(host.name) else {
                draft.note("the host \(host.name) is not a host name")
                continue
            }
            let path = draft.path ?? KubernetesPath.choose(host.paths)
            let url = "\(scheme(of: host.name, routes, draft))://\(host.name)\(path)"
            let name = path == "/" ? host.name : host.name + path
            draft.add(part: host.name, name: name, address: url, probe: "http", isOnly: hosts.count == 1)
        }
    }

    /// The scheme of a host: an Ingress serves https for the hosts of its `tls`. What the listeners of an HTTPRoute's Gateway speak
    /// is not read; https is the rule there.
    private func scheme(of host: String, _ routes: KubernetesRoutes, _ draft: KubernetesDraft) -> String {
        if let scheme = draft.scheme { return scheme }
        guard let secure = routes.secureHosts else { return "https" }
        return secure.contains { KubernetesName.covers($0, host) } ? "https" : "http"
    }

    // MARK: Service

    private func add(_ service: KubernetesService, _ draft: inout KubernetesDraft) {
        let key = draft.key
        let domain = settings.clusterDomain.map { ".\($0)" } ?? ""
        var host = "\(key.name).\(key.namespace).svc\(domain)"
        if let name = service.externalName {
            guard settings.allowsForeignHosts else {
                draft.note("stands for another host (ExternalName), which foreign_hosts: true permits")
                return
            }
            host = name.lowercased()
        }
        guard KubernetesName.isHost(host) else {
            draft.note("\(host) is not a host name")
            return
        }
        if draft.addURL(own: [host, "\(key.name).\(key.namespace).svc"]) { return }
        let ports = draft.choose(service.ports.filter { $0.transport == "TCP" })
        if ports.isEmpty { draft.note("has no TCP port") }
        for port in ports {
            // The name of a headless service resolves to the pods, whose ports count.
            let number = service.isHeadless ? port.target ?? port.number : port.number
            guard (1...65_535).contains(number) else {
                draft.note("the port \(number) is not between 1 and 65535")
                continue
            }
            let name = "\(key.name).\(key.namespace):\(number)"
            let isOnly = ports.count == 1
            if let scheme = draft.scheme ?? Self.scheme(of: port) {
                let suffix = number == (scheme == "https" ? 443 : 80) ? "" : ":\(number)"
                let url = "\(scheme)://\(host)\(suffix)\(draft.path ?? "/")"
                draft.add(part: "\(number)", name: name, address: url, probe: "http", isOnly: isOnly)
            } else {
                draft.add(part: "\(number)", name: name, address: "\(host):\(number)", probe: "tcp", isOnly: isOnly)
            }
        }
    }

    /// The scheme that a port declares by its `appProtocol`, or by its name as Istio and others have it; nil for another protocol.
    private static func scheme(of port: KubernetesService.Port) -> String? {
        let declared = port.application.isEmpty ? port.name : port.application
        switch declared.lowercased().split(separator: "-", maxSplits: 1).first {
        case "https": return "https"
        case "http": return "http"
        default: return nil
        }
    }

    // MARK: Node

    private func add(_ addresses: [String], _ draft: inout KubernetesDraft) {
        guard let address = addresses.first(where: { IPAddress($0) != nil }) else {
            draft.note("has no address of the type InternalIP")
            return
        }
        draft.add(part: "", name: draft.key.name, address: address, probe: "icmp", isOnly: true)
    }
}

extension KubernetesSettings {
    /// Whether an object is to be monitored, by its annotation `reachd.io/monitor`.
    fileprivate func isMonitored(_ object: KubernetesObject) -> Bool {
        switch object.annotations["monitor"] {
        case "true": true
        case "false": false
        default: monitorsAll
        }
    }
}

/// Names in objects.
enum KubernetesName {
    /// Whether a text is a name of the DNS as Kubernetes has them, or an IPv4 address.
    static func isHost(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
                        || byte == UInt8(ascii: "_")
                }
        }
    }

    /// Whether a host of a certificate covers a host: the same, or `*` for the first label.
    static func covers(_ pattern: String, _ host: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return pattern == host }
        guard let dot = host.firstIndex(of: ".") else { return false }
        return host[dot...] == pattern.dropFirst()
    }
}
