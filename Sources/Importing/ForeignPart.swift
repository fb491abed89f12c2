// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// A configuration of another program, which may be inside of a document of Kubernetes or Helm.
struct ForeignPart: Sendable {
    /// The format.
    let format: ForeignFormat
    /// The configuration.
    let root: YAMLNode
    /// Where its nodes are.
    let origin: ForeignOrigin
    /// What it was inside of, and where; nil for a whole document.
    let wrapper: String?
}

extension ForeignFormat {
    /// Keys that a text with a configuration has.
    static let keys = ["endpoints:", "modules:", "scrape_configs:", "job_name:", "monitorList"]

    /// Recognizes a configuration by its keys and what is in them: `endpoints` is also a key of a ServiceMonitor.
    init?(_ node: YAMLNode) {
        if Self.hasItems(node["endpoints"], with: "url") || Self.hasItems(node["external-endpoints"], with: "name") {
            self = .gatus
        } else if case .mapping(let modules)? = node["modules"]?.content,
            modules.contains(where: { $0.value["prober"] != nil })
        {
            self = .blackbox
        } else if Self.hasItems(node["scrape_configs"], with: "job_name") || Self.hasItems(node, with: "job_name") {
            self = .prometheus
        } else if KumaRow.rows(node["monitorList"]).contains(where: { $0.text("type") != nil })
            || Self.hasItems(node["monitor"], with: "type")
        {
            self = .kuma
        } else {
            return nil
        }
    }

    private static func hasItems(_ node: YAMLNode?, with key: String) -> Bool {
        guard case .sequence(let items)? = node?.content else { return false }
        return items.contains { $0[key] != nil || $0["<<"]?[key] != nil }
    }

    /// Recognizes a configuration by its keys alone.
    init?(loosely node: YAMLNode) {
        if node["modules"] != nil {
            self = .blackbox
        } else if node["endpoints"] != nil || node["external-endpoints"] != nil {
            self = .gatus
        } else if node["scrape_configs"] != nil || node["scrape_config_files"] != nil {
            self = .prometheus
        } else if node["monitorList"] != nil || node["monitor"] != nil {
            self = .kuma
        } else {
            return nil
        }
    }
}
