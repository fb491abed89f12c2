// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import Monitoring
import NetworkPaths
import Schema

/// Makes the configuration of the checked values, and finds the faults that only neighbours can show.
///
/// A value that was faulty is replaced by anything that fits: its fault is on record, so the result is never used.
struct ConfigurationAssembler {
    let root: CheckedObject

    mutating func assemble(_ faults: inout SchemaReader) -> ReachdConfiguration {
        let network = root.object("network")
        let judgement = network?.text("names").flatMap(PathRequest.NameJudgement.init) ?? .optimistic
        var targets = TargetAssembler(nameJudgement: judgement)
        let declared = targets.assemble(root.objects("targets"), &faults)
        let maximumTargets = root.object("limits")?.integer("targets") ?? .max
        if declared.count > maximumTargets {
            faults.fault(
                .outOfRange,
                at: root.place(of: "targets"),
                pointer: "/targets",
                "there are \(declared.count) targets, more than limits.targets allows"
            )
        }
        let discovery = DiscoveryAssembler(nameJudgement: judgement).assemble(root.object("discovery"), &faults)
        return ReachdConfiguration(
            http: http(&faults),
            log: log(),
            events: events(),
            history: history(),
            receivers: NotifyAssembler(root: root).assemble(&faults),
            paths: paths(network, &faults),
            probing: probing(declared, &faults),
            nameJudgement: judgement,
            watchesAutomatically: root.boolean("auto_targets") ?? (declared.isEmpty && discovery == nil),
            targets: declared,
            maximumTargets: maximumTargets,
            discovery: discovery,
            probeModules: BuiltInModules.completing(
                ModuleAssembler().assemble(root.objects("probe_modules"), &faults)
            ),
            stateFile: StateFileSetting(root.text("state_file"))
        )
    }

    private func http(_ faults: inout SchemaReader) -> HTTPSettings {
        let limits = root.object("limits")
        let events = root.object("events")
        let places = ListenAssembler(root: root).assemble(&faults)
        return HTTPSettings(
            listen: places,
            allowedHosts: allowedHosts(places),
            namesHosts: root.has("allowed_hosts"),
            basePath: root.text("base_path").flatMap { $0 == "/" ? nil : $0 } ?? "",
            access: AccessAssembler(root: root, isLocal: places.allSatisfy(\.isLocal)).settings(&faults),
            connections: limits?.integer("connections"),
            connectionsPerAddress: limits?.integer("connections_per_address"),
            headerSize: limits?.integer("header_size") ?? 0,
            bodySize: limits?.integer("body_size") ?? 0,
            headerTimeout: limits?.duration("header_timeout") ?? .zero,
            bodyTimeout: limits?.duration("body_timeout") ?? .zero,
            idleTimeout: limits?.duration("idle_timeout") ?? .zero,
            maximumStreams: events?.integer("max_streams") ?? 0,
            heartbeat: events?.duration("heartbeat") ?? .zero,
            stallTimeout: events?.duration("stall_timeout") ?? .zero
        )
    }

    private func allowedHosts(_ places: [ListenSettings]) -> Set<String>? {
        guard root.has("allowed_hosts") || places.allSatisfy(\.isLocal) else { return nil }
        return Set(
            root.list("allowed_hosts").compactMap { located in
                switch located.value {
                case .host(let name): name.lowercased()
                case .address(let address, _): "\(address)"
                default: nil
                }
            }
        )
    }

    private func log() -> LogSettings {
        let log = root.object("log")
        return LogSettings(
            level: log?.text("level") ?? "info",
            format: log?.text("format").flatMap(LogSettings.Format.init) ?? .text
        )
    }

    private func events() -> EventLogSettings {
        var settings = EventLogSettings()
        let events = root.object("events")
        settings.capacity = events?.integer("log_size") ?? settings.capacity
        settings.maximumBytes = events?.integer("log_bytes") ?? settings.maximumBytes
        return settings
    }

    private func history() -> HistoryConfiguration {
        var settings = HistorySettings()
        let standard = RollupSettings()
        let history = root.object("history")
        settings.retention = RetentionLimit(
            age: history?.duration("max_age") ?? settings.retention.age,
            bytes: UInt64(clamping: history?.integer("max_bytes") ?? Int(clamping: settings.retention.bytes))
        )
        settings.isRequired = history?.boolean("required") ?? false
        settings.slowLimit = history?.duration("stall_timeout") ?? settings.slowLimit
        return HistoryConfiguration(
            isEnabled: history?.boolean("enabled") ?? true,
            path: history?.text("path"),
            settings: settings,
            rollups: RollupSettings(
                minutes: history?.duration("keep_minutes") ?? standard.minutes,
                hours: history?.duration("keep_hours") ?? standard.hours,
                days: history?.duration("keep_days") ?? standard.days,
                bytes: UInt64(clamping: history?.integer("keep_bytes") ?? Int(clamping: standard.bytes))
            )
        )
    }

    private func probing(_ targets: [TargetSettings], _ faults: inout SchemaReader) -> ProbingSettings {
        var settings = ProbingSettings()
        guard let probing = root.object("probing") else { return settings }
        let total = probing.integer("max_concurrent") ?? settings.limits.total
        let perAddress = probing.integer("max_per_address") ?? settings.limits.perAddress
        settings.limits = (try? StartLimits(total: total, perAddress: min(perAddress, total))) ?? .standard
        settings.spread = probing.duration("start_spread") ?? settings.spread
        let known = Set(targets.map(\.id))
        // A faulty target is left out of these, and may be the one that is meant.
        let isComplete = targets.count == root.list("targets").count
        for (index, located) in probing.list("anchors").enumerated() {
            guard case .text(let id) = located.value else { continue }
            let pointer = "/probing/anchors/\(index)"
            if settings.anchors.contains(id) {
                faults.fault(.duplicateValue, at: located.place, pointer: pointer, "\(id.quoted) stands twice")
            } else if isComplete, !known.contains(id) {
                faults.fault(.badReference, at: located.place, pointer: pointer, "there is no target \(id.quoted)")
            }
            settings.anchors.append(id)
        }
        settings.quorum = probing.integer("anchor_quorum") ?? settings.quorum
        if !settings.anchors.isEmpty, settings.quorum > settings.anchors.count {
            faults.fault(
                .outOfRange,
                at: probing.place(of: "anchor_quorum"),
                pointer: "/probing/anchor_quorum",
                "there are only \(settings.anchors.count) anchors"
            )
        }
        return settings
    }

    private func paths(_ network: CheckedObject?, _ faults: inout SchemaReader) -> PathEngineOptions {
        var options = PathEngineOptions()
        options.interfaceRules = root.objects("interfaces").compactMap { interfaceRule($0.object, $0.index, &faults) }
        options.connections = root.objects("connections").compactMap { connection($0.object) }
        options.mark = root.integer("mark").flatMap(UInt32.init(exactly:))
        options.sysfsRoot = root.text("sysfs") ?? options.sysfsRoot
        options.receiveBuffer = network?.integer("receive_buffer") ?? options.receiveBuffer
        return options
    }

    private func interfaceRule(_ rule: CheckedObject, _ index: Int, _ faults: inout SchemaReader) -> InterfaceRule? {
        let effects = ["type", "metered", "constrained"]
        let switches = ["ignore", "ignore_carrier_loss"]
        let isFromFile = switches.contains { key in if case .file? = rule[key]?.place { true } else { false } }
        if !effects.contains(where: rule.has), isFromFile, !switches.contains(where: { rule.boolean($0) == true }),
            rule["match"] != nil
        {
            faults.fault(
                .missingKey,
                at: rule.place,
                pointer: "/interfaces/\(index)",
                "the rule says nothing about the interfaces that it matches",
                hint: "add type, metered, constrained, ignore or ignore_carrier_loss"
            )
        }
        guard let patterns: [InterfaceRule.Pattern] = rule.special("match") else { return nil }
        return InterfaceRule(
            patterns: patterns,
            type: rule.text("type").flatMap(InterfaceType.init),
            isExpensive: rule.boolean("metered"),
            isConstrained: rule.boolean("constrained"),
            isIgnored: rule.boolean("ignore") ?? false,
            ignoresCarrierLoss: rule.boolean("ignore_carrier_loss") ?? false
        )
    }

    private func connection(_ connection: CheckedObject) -> DeclaredConnection? {
        var prefixes: [IPPrefix] = []
        var coversAll = false
        for located in connection.list("match") {
            guard case .coverage(let prefix) = located.value else { continue }
            if let prefix { prefixes.append(prefix) } else { coversAll = true }
        }
        guard let mode = connection.text("mode").flatMap(DeclaredConnection.Mode.init) else { return nil }
        let covered = coversAll ? "default" : prefixes.map(\.description).joined(separator: ", ")
        return DeclaredConnection(
            name: connection.text("name") ?? covered,
            prefixes: coversAll ? nil : prefixes,
            mode: mode,
            isCellular: connection.boolean("cellular") ?? false
        )
    }
}
