// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Schema

/// The targets of a job with their labels, before relabelling.
struct PrometheusTargets {
    /// One target.
    struct Target {
        let address: String
        let labels: [(String, String)]
        let node: YAMLNode
        let origin: ForeignOrigin
    }

    private(set) var targets: [Target] = []
    /// The patterns of files that were found.
    private(set) var patterns: [String] = []

    private static let maximum = 100_000

    /// Reads `static_configs` and `file_sd_configs` of a job, and notes other discoveries.
    init(_ job: inout ForeignMapping, _ title: NoteSubject, _ files: inout ForeignFiles, _ draft: inout ImportDraft) {
        for node in job.list("static_configs") { add(node, draft.origin) }
        for node in job.list("file_sd_configs") {
            guard var config = ForeignMapping(node) else { continue }
            for pattern in config.texts("files") { read(pattern, at: node, title, &files, &draft) }
        }
        for (key, node) in job.takeAll(where: { $0.hasSuffix("_sd_configs") }) {
            let use = key == "kubernetes_sd_configs" ? "see discovery.kubernetes" : "reachd reads file_sd files"
            draft.leaveOut(
                node,
                "\(title): the targets of \(same: key) are not known here and are left out; \(same: use)"
            )
        }
    }

    private mutating func add(_ node: YAMLNode, _ origin: ForeignOrigin) {
        guard var group = ForeignMapping(node) else { return }
        let labels = group.labels("labels")
        for target in group.list("targets") {
            guard let text = target.text, targets.count < Self.maximum else { continue }
            targets.append(Target(address: text, labels: labels, node: target, origin: origin))
        }
    }

    private mutating func read(
        _ pattern: String,
        at node: YAMLNode,
        _ title: NoteSubject,
        _ files: inout ForeignFiles,
        _ draft: inout ImportDraft
    ) {
        let (found, paths) = files.find(pattern)
        guard !paths.isEmpty else {
            let words: NoteText =
                "\(title): no file matches \(pattern.quoted) of file_sd_configs; its targets are left out"
            return draft.leaveOut(node, words)
        }
        patterns.append(found)
        for path in paths {
            do throws(ConfigurationDiagnostics) {
                let origin = ForeignOrigin(file: path)
                let file = [("__meta_filepath", files.absolute(path))]
                for group in try DiscoveryFileReader.read(try files.read(path), path: path) {
                    let labels = group.labels.map { ($0.name, $0.value.text) } + file
                    for target in group.targets where targets.count < Self.maximum {
                        var position = YAMLPosition(line: 1, column: 1)
                        if case .file(_, let place?) = target.place { position = place }
                        let node = YAMLNode(.scalar(target.text, isPlain: true), position: position)
                        targets.append(Target(address: target.text, labels: labels, node: node, origin: origin))
                    }
                }
            } catch {
                let fault = error.diagnostics[0].description
                draft.leaveOut(node, "\(title): a file of file_sd_configs cannot be used: \(fault)")
            }
        }
    }
}
