// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The custom resource `Probe` of Prometheus' operator (`monitoring.coreos.com/v1`), as the job that the operator makes of it.
enum PrometheusProbe {
    /// A configuration with one job; nil for another document.
    static func configuration(_ node: YAMLNode) -> YAMLNode? {
        guard node["kind"]?.text == "Probe", node["apiVersion"]?.text?.hasPrefix("monitoring.coreos.com/") == true,
            let spec = node["spec"]
        else { return nil }
        let metadata = node["metadata"]
        let space = metadata?["namespace"]?.text
        let name = ["probe", space, metadata?["name"]?.text].compactMap(\.self).joined(separator: "/")
        func text(_ text: String) -> YAMLNode { YAMLNode(.scalar(text, isPlain: false), position: node.position) }
        func list(_ items: [YAMLNode]) -> YAMLNode { YAMLNode(.sequence(items), position: node.position) }
        func mapping(_ pairs: [(String, YAMLNode?)]) -> YAMLNode {
            let known = pairs.compactMap { pair in pair.1.map { YAMLNode.Pair(key: text(pair.0), value: $0) } }
            return YAMLNode(.mapping(known), position: node.position)
        }
        var parameters: [(String, YAMLNode?)] = [("module", spec["module"].map { list([$0]) })]
        if case .sequence(let items)? = spec["params"]?.content {
            parameters += items.compactMap { item in item["name"]?.text.map { ($0, item["values"]) } }
        }
        let targets = spec["targets"]
        let fixed = targets?["staticConfig"]
        var labels: [YAMLNode.Pair] = []
        if case .mapping(let pairs)? = fixed?["labels"]?.content { labels = pairs }
        if let space { labels.append(YAMLNode.Pair(key: text("namespace"), value: text(space))) }
        let group = mapping([
            ("targets", fixed?["static"]), ("labels", YAMLNode(.mapping(labels), position: node.position)),
        ])
        let first = [
            mapping([("source_labels", list([text("__address__")])), ("target_label", text("__param_target"))]),
            mapping([("source_labels", list([text("__param_target")])), ("target_label", text("instance"))]),
        ]
        var rules: [YAMLNode] = []
        if case .sequence(let items)? = fixed?["relabelingConfigs"]?.content { rules = items.map(rule) }
        let prober = spec["prober"]
        let last = mapping([("target_label", text("__address__")), ("replacement", prober?["url"] ?? text("prober"))])
        let job = mapping([
            ("job_name", spec["jobName"] ?? text(name)), ("metrics_path", prober?["path"] ?? text("/probe")),
            ("scrape_interval", spec["interval"]), ("scrape_timeout", spec["scrapeTimeout"]),
            ("params", mapping(parameters)), ("static_configs", fixed.map { _ in list([group]) }),
            ("kubernetes_sd_configs", targets?["ingress"].map { list([$0]) }),
            ("relabel_configs", list(first + rules + [last])),
        ])
        return mapping([("scrape_configs", list([job]))])
    }

    /// A rule with the names of keys that Prometheus' configuration has.
    private static func rule(_ node: YAMLNode) -> YAMLNode {
        guard case .mapping(let pairs) = node.content else { return node }
        let names = ["sourceLabels": "source_labels", "targetLabel": "target_label"]
        let renamed = pairs.map { pair in
            let name = pair.key.text.flatMap { names[$0] }
            let key = name.map { YAMLNode(.scalar($0, isPlain: false), position: pair.key.position) }
            return YAMLNode.Pair(key: key ?? pair.key, value: pair.value)
        }
        return YAMLNode(.mapping(renamed), position: node.position)
    }
}
