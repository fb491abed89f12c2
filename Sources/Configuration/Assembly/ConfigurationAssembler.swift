// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import Monitoring
import NetworkPaths
import ReachAPI
import Schema

/// Makes the configuration from the checked values, and finds faults between values.
///
/// A faulty value is replaced by any valid one: its fault is already reported, so the result is never used.
struct ConfigurationAssembler {
    let root: ValidatedMapping

    func assemble(_ diagnostics: inout SchemaReader) -> ReachdConfiguration {
        var configuration = ReachdConfiguration()
        ConfigurationSchema.settings.read(root, into: &configuration)
        let judgement = configuration.nameEvaluation
        var targets = TargetAssembler(nameEvaluation: judgement)
        configuration.targets = targets.assemble(root.objects("targets"), &diagnostics)
        if configuration.targets.count > configuration.maximumTargets {
            diagnostics.report(
                .outOfRange,
                at: root.place(of: "targets"),
                pointer: "/targets",
                "there are \(configuration.targets.count) targets, more than limits.targets allows"
            )
        }
        if let discovery = root.object("discovery") {
            let assembler = DiscoveryAssembler(nameEvaluation: judgement)
            configuration.discovering.probe = assembler.probe(discovery, configuration.discovering.files, &diagnostics)
            configuration.discovering.sources = assembler.sources(discovery, &diagnostics)
        }
        configuration.watchesAutomatically =
            root.boolean("auto_targets") ?? (configuration.targets.isEmpty && configuration.discovery == nil)
        readInterface(into: &configuration.http, &diagnostics)
        configuration.receivers = NotifyAssembler(root: root).assemble(&diagnostics)
        configuration.paths.interfaceRules = root.objects("interfaces").compactMap {
            interfaceRule($0.object, $0.index, &diagnostics)
        }
        configuration.paths.connections = root.objects("connections").compactMap { connection($0.object) }
        check(&configuration.probing, configuration.targets, &diagnostics)
        configuration.probeModules = BuiltInModules.completing(
            ModuleAssembler().assemble(root.objects("probe_modules"), &diagnostics)
        )
        return configuration
    }

    private func readInterface(into http: inout HTTPSettings, _ diagnostics: inout SchemaReader) {
        http.listen = ListenAssembler(root: root).assemble(&diagnostics)
        let isLocal = http.listen.allSatisfy(\.isLocal)
        http.namesHosts = root.has("allowed_hosts")
        http.api.hosts = http.namesHosts || isLocal ? .loopback(also: allowedHosts) : .any
        http.api.basePath = root.text("base_path").flatMap { $0 == "/" ? nil : $0 } ?? ""
        AccessAssembler(root: root, isLocal: isLocal).read(into: &http, &diagnostics)
        readPublicPage(into: &http, &diagnostics)
    }

    private func readPublicPage(into http: inout HTTPSettings, _ diagnostics: inout SchemaReader) {
        guard let section = root.object("public") else { return }
        func fault(_ key: String, _ words: String) {
            diagnostics.report(.invalidValue, at: section.place(of: key), pointer: "/public/\(key)", words)
        }
        if let source: ListenSettings.Source = section.special("listen") {
            if case .address(let address) = source {
                http.publicListen = address
            } else {
                fault("listen", "the page needs an address of its own, such as 127.0.0.1:7533")
            }
        }
        if let link = section.text("link") {
            let isWeb = ["http://", "https://"].contains { link.lowercased().hasPrefix($0) && link.count > $0.count }
            if isWeb {
                http.api.publicPage.link = link
            } else {
                fault("link", "a URL with http:// or https:// is required")
            }
        }
        let groups = http.api.publicPage.groups
        if Set(groups).count < groups.count { fault("groups", "a group occurs twice") }
        http.api.publicPage.hasListener = http.publicListen != nil
    }

    private var allowedHosts: Set<String> {
        Set(
            root.list("allowed_hosts").compactMap { located in
                switch located.value {
                case .host(let name, _): name.lowercased()
                case .address(let address, _): "\(address)"
                default: nil
                }
            }
        )
    }

    private func check(_ probing: inout ProbingSettings, _ targets: [TargetSettings], _ diagnostics: inout SchemaReader)
    {
        probing.limits.perAddress = min(probing.limits.perAddress, probing.limits.total)
        guard let section = root.object("probing") else { return }
        let known = Set(targets.map(\.id))
        // A faulty target is left out of these, and may be the one that is referenced.
        let isComplete = targets.count == root.list("targets").count
        var anchors: Set<String> = []
        for (index, located) in section.list("anchors").enumerated() {
            guard case .text(let id) = located.value else { continue }
            let pointer = "/probing/anchors/\(index)"
            if !anchors.insert(id).inserted {
                diagnostics.report(.duplicateValue, at: located.place, pointer: pointer, "\(id.quoted) occurs twice")
            } else if isComplete, !known.contains(id) {
                diagnostics.report(
                    .badReference,
                    at: located.place,
                    pointer: pointer,
                    "there is no target \(id.quoted)"
                )
            }
        }
        if !probing.anchors.isEmpty, probing.quorum > probing.anchors.count {
            diagnostics.report(
                .outOfRange,
                at: section.place(of: "anchor_quorum"),
                pointer: "/probing/anchor_quorum",
                "there are only \(probing.anchors.count) anchors"
            )
        }
    }

    private func interfaceRule(_ rule: ValidatedMapping, _ index: Int, _ diagnostics: inout SchemaReader)
        -> InterfaceRule?
    {
        let effects = ["type", "metered", "constrained"]
        let switches = ["ignore", "ignore_carrier_loss"]
        let isFromFile = switches.contains { key in if case .file? = rule[key]?.place { true } else { false } }
        if !effects.contains(where: rule.has), isFromFile, !switches.contains(where: { rule.boolean($0) == true }),
            rule["match"] != nil
        {
            diagnostics.report(
                .missingKey,
                at: rule.place,
                pointer: "/interfaces/\(index)",
                "the rule has no effect on the interfaces that it matches",
                hint: "add type, metered, constrained, ignore or ignore_carrier_loss"
            )
        }
        guard let patterns: [InterfaceRule.Pattern] = rule.special("match") else { return nil }
        var result = InterfaceRule(patterns: patterns)
        ConfigurationSchema.interfaceRuleKeys.read(rule, into: &result)
        return result
    }

    private func connection(_ connection: ValidatedMapping) -> DeclaredConnection? {
        var prefixes: [IPPrefix] = []
        var coversAll = false
        for located in connection.list("match") {
            guard case .coverage(let prefix) = located.value else { continue }
            if let prefix { prefixes.append(prefix) } else { coversAll = true }
        }
        guard connection.text("mode") != nil else { return nil }
        var result = ConfigurationSchema.emptyConnection
        result.name = coversAll ? "default" : prefixes.map(\.description).joined(separator: ", ")
        result.prefixes = coversAll ? nil : prefixes
        ConfigurationSchema.connectionKeys.read(connection, into: &result)
        return result
    }
}
