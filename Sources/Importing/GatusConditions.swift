// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Converts Gatus' conditions to reachd's expectations.
enum GatusConditions {
    static func take(
        _ nodes: [YAMLNode],
        _ probe: inout ImportedProbe,
        _ variables: inout GatusVariables,
        _ draft: inout ImportDraft
    ) {
        var mapping = Mapping()
        var carried = 0
        for node in nodes {
            guard let text = node.text else { continue }
            guard let condition = GatusCondition(text) else {
                draft.lose(.condition, node, "\(probe.title): the condition \(text.quoted) is not supported")
                continue
            }
            guard mapping.take(condition, probe.type, &variables, at: node) else {
                draft.lose(.condition, node, "\(probe.title): the condition \(text.quoted) is not carried over")
                continue
            }
            carried += 1
            if condition.subject == "RESPONSE_TIME" || condition.subject == "CERTIFICATE_EXPIRATION" {
                draft.note(node, "\(probe.title): a violation of \(text.quoted) is degraded in reachd, not down")
            }
        }
        if carried == 0, !nodes.isEmpty {
            probe.pauses.append(
                "none of its conditions can be carried over, and without them it would be up whenever it answers"
            )
        }
        mapping.finish(&probe, &draft)
    }

    /// The combined conditions of one endpoint.
    private struct Mapping {
        private var statuses = Set(100...599)
        private var expect: [(String, YAMLText)] = []
        /// Milliseconds. In Gatus every condition must hold: of several bounds the strictest counts.
        private var latency: Int?
        /// Milliseconds, and their position.
        private var remaining: (limit: Int, node: YAMLNode)?
        private var isReachable: Bool?
        private var answers: [YAMLText] = []
        private var refusedAnswers: [YAMLText] = []
        private var codes: [String]?
        private var contained: [YAMLText] = []
        private var excluded: [YAMLText] = []
        private var matches: [YAMLText] = []
        private var refused: [YAMLText] = []
        private var json: [YAMLText] = []
        private var addresses: [String]?

        mutating func take(
            _ condition: GatusCondition,
            _ type: String,
            _ variables: inout GatusVariables,
            at node: YAMLNode
        ) -> Bool {
            guard condition.function != .len else { return false }
            // A variable's value is text; inside a regular expression it would be a part of that.
            let isExpression = condition.isPattern || condition.values.count > 1 || condition.path.isEmpty
            guard !isExpression || !condition.values.contains(where: { $0.contains("$") }) else { return false }
            switch condition.subject {
            case "STATUS":
                guard type == "http", !condition.isPattern, condition.values.allSatisfy({ Int($0) != nil }) else {
                    return false
                }
                statuses = statuses.filter(condition.holds)
                return true
            case "CONNECTED":
                guard condition.comparison == "==", let value = condition.values.first,
                    value == "true" || value == "false", isReachable != (value != "true")
                else { return false }
                isReachable = value == "true"
                return true
            case "RESPONSE_TIME":
                guard condition.comparison.hasPrefix("<"), let limit = condition.values.first.flatMap({ Int($0) }),
                    limit > 0
                else { return false }
                latency = min(limit, latency ?? limit)
                return true
            case "CERTIFICATE_EXPIRATION":
                guard condition.comparison.hasPrefix(">"), type == "http" || type == "tls",
                    let limit = condition.values.first.flatMap(GoDuration.milliseconds)
                else { return false }
                if let remaining, remaining.limit >= limit { return true }
                remaining = (limit, node)
                return true
            case "IP":
                guard condition.comparison == "==", !condition.isPattern else { return false }
                return Self.narrow(&addresses, to: condition.values)
            case "DNS_RCODE":
                guard condition.comparison == "==", !condition.isPattern, type == "dns" else { return false }
                return Self.narrow(&codes, to: condition.values)
            case "BODY":
                return body(condition, type, &variables)
            default:
                return false
            }
        }

        private mutating func body(_ condition: GatusCondition, _ type: String, _ variables: inout GatusVariables)
            -> Bool
        {
            let isEqual = condition.comparison == "=="
            if type == "dns" {
                guard condition.path.isEmpty, isEqual || condition.comparison == "!=" else { return false }
                if isEqual {
                    answers.append(.text(condition.pattern))
                } else {
                    refusedAnswers.append(.text(condition.pattern))
                }
                return true
            }
            guard type == "http" else { return false }
            if condition.function == .has {
                guard isEqual, !condition.path.isEmpty, let value = condition.values.first else { return false }
                return addJSON(condition.path, [("present", .word(value == "true" ? "true" : "false"))])
            }
            guard condition.path.isEmpty else { return value(condition, isEqual, &variables) }
            if let text = condition.containedText {
                if isEqual { contained.append(.text(text)) } else { excluded.append(.text(text)) }
                return isEqual || condition.comparison == "!="
            }
            guard isEqual || condition.comparison == "!=" else { return false }
            if isEqual {
                matches.append(.text(condition.pattern))
            } else {
                refused.append(.text(condition.pattern))
            }
            return true
        }

        private mutating func value(_ condition: GatusCondition, _ isEqual: Bool, _ variables: inout GatusVariables)
            -> Bool
        {
            if condition.isPattern || condition.values.count > 1 {
                guard isEqual else { return false }
                return addJSON(condition.path, [("matches", .text(condition.pattern))])
            }
            var keys: [(String, YAMLText)] = []
            if !isEqual { keys.append(("is", .word("\"\(condition.comparison)\""))) }
            return addJSON(condition.path, keys + [("value", .template(variables.template(condition.values[0])))])
        }

        private mutating func addJSON(_ path: String, _ keys: [(String, YAMLText)]) -> Bool {
            let whole = path.hasPrefix(".") || path.hasPrefix("[") ? path : ".\(path)"
            json.append(.mapping([("path", .text("$\(whole)"))] + keys))
            return true
        }

        /// Keeps only the values that another condition also allows; unchanged if none remain.
        private static func narrow(_ allowed: inout [String]?, to values: [String]) -> Bool {
            let left = allowed.map { $0.filter(values.contains) } ?? values
            guard !left.isEmpty else { return false }
            allowed = left
            return true
        }

        private mutating func set(_ key: String, _ value: YAMLText) { expect.append((key, value)) }

        mutating func finish(_ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
            if isReachable == false { set("reachable", .word("false")) }
            if let latency { set("max_latency", .word(DurationText.text(milliseconds: latency))) }
            if let (limit, node) = remaining {
                let day = 86_400_000
                let days = (limit + day - 1) / day
                set("certificate_days", .word("\(days)"))
                if limit % day != 0 {
                    let words: NoteText = "certificate_days counts whole days: the limit is rounded up to \(days)"
                    draft.note(node, "\(probe.title): \(words)")
                }
            }
            if let codes {
                set("rcode", ImportedProbe.oneOrMore(codes.map { .text($0) }))
                if codes != ["NOERROR"] { set("min_answers", .word("0")) }
            }
            // In Gatus any status is accepted unless a condition restricts it.
            if probe.type == "http" { set("status", .text(Self.ranges(statuses))) }
            if let addresses {
                set("resolved", .list(addresses.map { .text($0 + ($0.contains(":") ? "/128" : "/32")) }))
            }
            for (key, values) in [
                ("body_contains", contained), ("body_not_contains", excluded), ("body_matches", matches),
                ("body_not_matches", refused), ("answers", answers), ("refused_answers", refusedAnswers),
            ] where !values.isEmpty {
                set(key, ImportedProbe.oneOrMore(values))
            }
            if !json.isEmpty { set("json", .list(json)) }
            probe.expect += expect
        }

        private static func ranges(_ statuses: Set<Int>) -> String {
            var ranges: [String] = []
            var start: Int?
            for status in 100...600 {
                if statuses.contains(status) {
                    start = start ?? status
                } else if let first = start {
                    ranges.append(first == status - 1 ? "\(first)" : "\(first)-\(status - 1)")
                    start = nil
                }
            }
            return ranges.joined(separator: ",")
        }
    }
}
