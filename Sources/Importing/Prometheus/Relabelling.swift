// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The relabelling rules of a job, as Prometheus applies them to a target's labels.
///
/// Source: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#relabel_config
struct Relabelling {
    private var rules: [Rule] = []

    private struct Rule {
        let action: Action
        let sources: [String]
        let separator: String
        let target: String
        let replacement: String
        let pattern: RelabelPattern
    }

    private enum Action: String {
        case replace, keep, drop, keepequal, dropequal, labelmap, labeldrop, labelkeep, lowercase, uppercase
    }

    /// How many steps of expressions an import may take.
    static let maximumSteps = 200_000_000
    private static let maximumRules = 1_000
    /// Prometheus has no such limit; a value can grow with each rule.
    private static let maximumLength = 4_096
    /// Nor this; `labelmap` can double the labels with each rule.
    private static let maximumLabels = 1_000

    /// Reads the rules of a job.
    ///
    /// - Throws: ``RelabellingFault`` for rules without which its targets would be others.
    init(_ nodes: [YAMLNode], _ title: NoteSubject, _ draft: inout ImportDraft) throws(RelabellingFault) {
        guard nodes.count <= Self.maximumRules else {
            throw RelabellingFault(
                node: nodes[0],
                words: "there are more than \(Self.maximumRules) rules of relabelling"
            )
        }
        for node in nodes {
            guard var rule = ForeignMapping(node) else {
                throw RelabellingFault(node: node, words: "a rule of relabelling is not a mapping")
            }
            let name = rule.text("action")?.lowercased() ?? "replace"
            if name == "hashmod" {
                draft.note(node, "\(title): hashmod, which shares targets between servers, has no effect")
                continue
            }
            guard let action = Action(rawValue: name) else {
                throw RelabellingFault(node: node, words: "the action \(name.quoted) of relabelling is unknown")
            }
            let pattern: RelabelPattern
            let text = rule.text("regex") ?? "(.*)"
            do throws(RelabelPatternError) {
                pattern = try RelabelPattern(text)
            } catch {
                let words = "the regex \(text.quoted) of relabelling cannot be used: \(error.message)"
                throw RelabellingFault(node: node, words: words)
            }
            rules.append(
                Rule(
                    action: action,
                    sources: rule.texts("source_labels"),
                    separator: rule.text("separator") ?? ";",
                    target: rule.text("target_label") ?? "",
                    replacement: rule.text("replacement") ?? "$1",
                    pattern: pattern
                )
            )
        }
    }

    /// Whether a rule sets a label to a value that it names.
    func sets(_ label: String, to isWanted: (String) -> Bool) -> Bool {
        rules.contains { $0.action == .replace && $0.target == label && isWanted($0.replacement) }
    }

    /// Whether the rules only hand the address to the exporter and name the instance by it, as in its documentation.
    var areStandard: Bool {
        rules.allSatisfy { rule in
            rule.action == .replace && rule.pattern.groups(in: "a.test") != nil
                && ["__param_target", "instance", "__address__"].contains(rule.target)
                && (rule.target == "__address__"
                    ? rule.sources.isEmpty
                    : rule.replacement == "$1" && rule.sources.count == 1
                        && ["__address__", "__param_target"].contains(rule.sources[0]))
        }
    }

    /// Applies the rules.
    ///
    /// - Parameter steps: How many steps expressions have taken.
    /// - Returns: The labels; nil when a rule drops the target, or there are too many steps.
    func apply(to labels: [String: String], _ steps: inout Int) -> [String: String]? {
        var labels = labels
        for rule in rules {
            if labels.count > Self.maximumLabels { steps = Self.maximumSteps + 1 }
            let value = rule.sources.map { labels[$0] ?? "" }.joined(separator: rule.separator)
            let subjects = [.labelmap, .labeldrop, .labelkeep].contains(rule.action) ? labels.keys.sorted() : [value]
            for subject in subjects {
                steps += rule.pattern.size * (subject.unicodeScalars.count + 1)
                guard steps <= Self.maximumSteps, subject.utf8.count <= Self.maximumLength else { return nil }
            }
            switch rule.action {
            case .keep: if rule.pattern.groups(in: value) == nil { return nil }
            case .drop: if rule.pattern.groups(in: value) != nil { return nil }
            case .keepequal: if labels[rule.target] ?? "" != value { return nil }
            case .dropequal: if labels[rule.target] ?? "" == value { return nil }
            case .lowercase: set(rule.target, value.lowercased(), &labels)
            case .uppercase: set(rule.target, value.uppercased(), &labels)
            case .labeldrop: for name in subjects where rule.pattern.groups(in: name) != nil { labels[name] = nil }
            case .labelkeep: for name in subjects where rule.pattern.groups(in: name) == nil { labels[name] = nil }
            case .labelmap:
                let old = labels
                for name in subjects {
                    guard let groups = rule.pattern.groups(in: name) else { continue }
                    set(rule.pattern.expand(rule.replacement, groups), old[name] ?? "", &labels)
                }
            case .replace:
                guard let groups = rule.pattern.groups(in: value) else { continue }
                let name = rule.pattern.expand(rule.target, groups)
                guard Self.isName(name) else { continue }
                set(name, rule.pattern.expand(rule.replacement, groups), &labels)
            }
        }
        return labels
    }

    /// An empty value is no label.
    private func set(_ name: String, _ value: String, _ labels: inout [String: String]) {
        labels[name] = value.isEmpty ? nil : value
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumLength
    }
}

/// The reason why the targets of a job cannot be determined.
struct RelabellingFault: Error {
    /// The rule.
    let node: YAMLNode
    /// The message.
    let words: String
}
