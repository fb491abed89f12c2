// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Probing
import Schema

/// Converts the probe jobs of Prometheus to targets: each target of a job is relabelled as Prometheus does it, and gets
/// the probe of the module that its labels name.
struct PrometheusImporter {
    private var modules: PrometheusModules
    private var files: ForeignFiles
    private let global: ForeignMapping?
    private var seen: Set<[String]> = []
    /// The steps that expressions of relabelling have taken.
    private var steps = 0

    /// How many targets an import may have.
    private static let maximumTargets = 100_000

    /// Adds the targets of a configuration.
    ///
    /// - Parameters:
    ///   - root: The configuration, or a list of jobs.
    ///   - modules: The modules of blackbox_exporter.
    ///   - files: The files that the configuration names.
    static func take(
        _ root: YAMLNode,
        modules: PrometheusModules,
        _ files: inout ForeignFiles,
        _ draft: inout ImportDraft
    ) {
        var importer = Self(modules: modules, files: files, global: ForeignMapping(root["global"]))
        var jobs: [YAMLNode] = []
        if case .sequence(let items) = root.content { jobs = items }
        if case .sequence(let items)? = root["scrape_configs"]?.content { jobs += items }
        var others: [String] = []
        for job in jobs { importer.take(job, &others, &draft) }
        if case .sequence(let patterns)? = root["scrape_config_files"]?.content {
            for pattern in patterns { importer.takeFiles(pattern, &others, &draft) }
        }
        files = importer.files
        importer.modules.finish(at: root, &draft)
        if !others.isEmpty {
            let names = others.prefix(16).joined(separator: ", ") + (others.count > 16 ? ", …" : "")
            let jobs = others.count == 1 ? "1 job is" : "\(others.count) jobs are"
            draft.note(root, "\(same: "\(jobs) left to Prometheus, because reachd imports probe jobs alone: \(names)")")
        }
        if root["rule_files"] != nil || root["alerting"] != nil {
            draft.note(root, "alert rules and Alertmanagers are not imported; see notify")
        }
    }

    /// Reads jobs from files of their own.
    private mutating func takeFiles(_ pattern: YAMLNode, _ others: inout [String], _ draft: inout ImportDraft) {
        let outer = draft.origin
        defer { draft.origin = outer }
        let paths = files.matches(pattern.text ?? "")
        if paths.isEmpty {
            draft.leaveOut(pattern, "no file matches \((pattern.text ?? "").quoted) of scrape_config_files")
        }
        for path in paths {
            draft.origin = outer
            guard let bytes = try? files.read(path), let root = try? YAMLReader.read(bytes),
                case .sequence(let jobs)? = root["scrape_configs"]?.content
            else {
                draft.leaveOut(pattern, "the file \(path.quoted) of scrape_config_files has no scrape_configs")
                continue
            }
            draft.origin = ForeignOrigin(file: path)
            for job in jobs { take(job, &others, &draft) }
        }
    }

    // MARK: Jobs

    private mutating func take(_ node: YAMLNode, _ others: inout [String], _ draft: inout ImportDraft) {
        guard var job = ForeignMapping(node) else { return }
        let name = job.text("job_name") ?? ""
        let title = NoteSubject(term: "the job", name: name)
        let rules: Relabelling
        let path = job.text("metrics_path") ?? "/metrics"
        do throws(RelabellingFault) {
            rules = try Relabelling(job.list("relabel_configs"), title, &draft)
        } catch {
            guard path.hasSuffix("/probe") else { return others.append(name) }
            return draft.leaveOut(error.node, "\(title) is left out: \(quoting: error.words)")
        }
        guard path.hasSuffix("/probe") || rules.sets("__metrics_path__", to: { $0.hasSuffix("/probe") }) else {
            return others.append(name)
        }
        var global = self.global
        var labels = [
            "job": name, "__metrics_path__": path, "__scheme__": job.text("scheme") ?? "http",
            "__scrape_interval__": job.text("scrape_interval") ?? global?.text("scrape_interval") ?? "1m",
            "__scrape_timeout__": job.text("scrape_timeout") ?? global?.text("scrape_timeout") ?? "10s",
        ]
        for (key, value) in job.mapping("params")?.lists ?? [] { labels["__param_\(key)"] = value }
        let found = PrometheusTargets(&job, title, &files, &draft)
        let outer = draft.origin
        defer { draft.origin = outer }
        var dropped = 0
        for target in found.targets {
            var own = labels
            for (name, value) in target.labels where !value.isEmpty { own[name] = value }
            for (key, value) in labels where key.hasPrefix("__param_") { own[key] = value }
            own["__address__"] = target.address
            guard let result = rules.apply(to: own, &steps) else {
                dropped += 1
                continue
            }
            draft.origin = target.origin
            take(target, result, job: name, &draft)
        }
        draft.origin = outer
        follow(found.patterns, rules, labels, title, &draft)
        guard steps <= Relabelling.maximumSteps, draft.tally.found[.target] ?? 0 < Self.maximumTargets else {
            return draft.leaveOut(node, "\(title): targets are left out, because there are too many, or too long rules")
        }
        if dropped > 0 { draft.note(node, "\(title): its rules drop \(dropped) of \(found.targets.count) targets") }
    }

    /// Writes the discovery of a job's files as a comment, beside the targets that are in them now: reachd follows such files, too.
    private mutating func follow(
        _ patterns: [String],
        _ rules: Relabelling,
        _ labels: [String: String],
        _ title: NoteSubject,
        _ draft: inout ImportDraft
    ) {
        guard !patterns.isEmpty, rules.areStandard, labels["__param_hostname"] == nil,
            case .some(.some(var probe)) = modules.probe(labels["__param_module"] ?? "http_2xx", &draft),
            probe.pauses.isEmpty
        else { return }
        schedule(&probe, labels)
        let paths = patterns.map { YAMLText.text(files.absolute($0)) }
        draft.addDiscovery(
            [("files", ImportedProbe.oneOrMore(paths)), ("probe", probe.text)],
            "reachd follows the files of \(title) with this, in place of the targets above that are in them"
        )
    }

    // MARK: Targets

    private mutating func take(
        _ target: PrometheusTargets.Target,
        _ original: [String: String],
        job: String,
        _ draft: inout ImportDraft
    ) {
        // Prometheus scrapes targets with the same labels once.
        let identity = original.filter { !$0.key.hasPrefix("__meta_") }.sorted { $0.key < $1.key }.flatMap { [$0, $1] }
        guard draft.tally.found[.target] ?? 0 < Self.maximumTargets else { return }
        guard seen.insert(identity).inserted else { return }
        let (labels, credentials) = Self.withoutCredentials(original)
        let text = labels["__param_target"] ?? ""
        let instance = labels["instance"] ?? text
        let title = NoteSubject(term: "the target", name: "\(job)/\(instance)")
        draft.tally.find(.target)
        guard !text.isEmpty else {
            return draft.leaveOut(target.node, "\(title) is left out: its labels have no __param_target")
        }
        let name = labels["__param_module"] ?? "http_2xx"
        guard let module = modules.probe(name, &draft) else {
            let words: NoteText = "blackbox_exporter's file has no module \(name.quoted); name the file with --modules"
            return draft.leaveOut(target.node, "\(title) is left out: \(words)")
        }
        guard var probe = module else {
            return draft.leaveOut(
                target.node,
                "\(title) is left out: reachd has no probe for the module \(name.quoted)"
            )
        }
        let keys: [(String, YAMLText)]
        do throws(ProbeTargetError) {
            guard let found = try probe.aim(at: text, hostname: labels["__param_hostname"]) else {
                let words: NoteText = "\(text.quoted) is a URL, which only modules of the prober http take"
                return draft.leaveOut(target.node, "\(title) is left out: \(words)")
            }
            keys = found
        } catch {
            return draft.leaveOut(target.node, "\(title) is left out: \(text.quoted) \(quoting: error.message)")
        }
        probe.takeCredentials(credentials, of: "__param_target", &draft)
        schedule(&probe, labels)
        let group = labels["job"] ?? job
        let id = draft.unique("\(group)_\(instance)")
        var pairs: [(String, YAMLText)] = [("id", .text(id)), ("name", .text(instance))] + keys
        if !group.isEmpty { pairs.append(("group", .text(group))) }
        let tags = labels.filter { !$0.key.hasPrefix("__") && $0.key != "job" && $0.key != "instance" }
        if !tags.isEmpty {
            pairs.append(("tags", .mapping(tags.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })))
        }
        pairs.append(("probe", probe.text))
        if probe.type == "http" { draft.noteSecret(in: text, of: title, "__param_target", at: target.node) }
        draft.add(
            .mapping(pairs),
            to: "targets",
            name: title,
            as: .target,
            variables: probe.variables,
            pausedBy: probe.pauses,
            at: target.node
        )
    }

    /// Labels without the credentials of URLs, and those of the target; the exporter completes a target without a scheme.
    private static func withoutCredentials(_ labels: [String: String]) -> ([String: String], URLCredentials?) {
        let target = labels["__param_target"] ?? ""
        let completed = "http://\(target)"
        let hasScheme = target.contains("://")
        let (url, credentials) = URLCredentials.split(hasScheme ? target : completed)
        let plain = hasScheme || credentials == nil ? url : String(url.dropFirst(7))
        let others = labels.mapValues { value in
            credentials != nil && value == target ? plain : URLCredentials.split(value).url
        }
        return (others, credentials)
    }

    /// Sets the interval and the timeout, which is the module's or half a second less than the scrape's, as in
    /// blackbox_exporter.
    private func schedule(_ probe: inout ImportedProbe, _ labels: [String: String]) {
        let interval = GoDuration.milliseconds(labels["__scrape_interval__"] ?? "") ?? 60_000
        let scrape = GoDuration.milliseconds(labels["__scrape_timeout__"] ?? "") ?? 10_000
        var own: Int?
        if case .word(let text)? = probe.keys.first(where: { $0.0 == "timeout" })?.1 {
            own = try? DurationText.milliseconds(text)
        }
        probe.keys.removeAll { $0.0 == "timeout" }
        let timeout = max(1, min(own ?? .max, max(scrape - 500, 1), interval))
        probe.keys.append(("interval", .word(DurationText.text(milliseconds: max(100, interval)))))
        probe.keys.append(("timeout", .word(DurationText.text(milliseconds: timeout))))
    }
}

extension ImportedProbe {
    /// Sets the target of a module's probe, in the text form of a scrape.
    ///
    /// - Parameter hostname: The name for `Host` and the certificate (`params.hostname`).
    /// - Returns: The keys of the target beside the probe; nil if the text is a URL, and the probe takes none.
    /// - Throws: ``ProbeTargetError`` when the text is not a target.
    fileprivate mutating func aim(
        at text: String,
        hostname: String?
    ) throws(ProbeTargetError) -> [(String, YAMLText)]? {
        if let hostname, ["http", "tls"].contains(type) {
            var tls = tls ?? []
            if !tls.contains(where: { $0.0 == "server_name" }) { tls.append(("server_name", .text(hostname))) }
            self.tls = tls
        }
        if type == "http" {
            let url = text.contains("://") ? text : "http://\(text)"
            keys.insert(("url", .text(url)), at: 0)
            if let hostname { setHost(hostname) }
            return []
        }
        let target = try ProbeTarget(text)
        guard target.url == nil else { return nil }
        if let port = target.port, type != "icmp" { keys.insert(("port", .word("\(port)")), at: 0) }
        let scope = target.interface.map { "%\($0)" } ?? ""
        if case .address(let address) = target.host { return [("address", .text("\(address)\(scope)"))] }
        return [("host", .text("\(target.host)"))]
    }

    private mutating func setHost(_ hostname: String) {
        var headers: [(String, YAMLText)] = []
        if let index = keys.firstIndex(where: { $0.0 == "headers" }), case .mapping(let own) = keys[index].1 {
            headers = own
            keys.remove(at: index)
        }
        if !headers.contains(where: { $0.0.lowercased() == "host" }) { headers.append(("Host", .text(hostname))) }
        keys.append(("headers", .mapping(headers)))
    }
}
