// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Why a target is in its state, in sentences and then facts.
struct ExplanationReport {
    private let target: JSONValue
    private let state: String
    private let parents: [(id: String, body: JSONValue)]
    private let now: Timestamp?

    init(_ target: JSONValue, state: String, parents: [(String, JSONValue)], now: Timestamp?) {
        self.target = target
        self.state = state
        self.parents = parents
        self.now = now
    }

    func lines(on terminal: Terminal) -> [String] {
        let facts = facts.filter { !$0.1.isEmpty }
        let width = (facts.map(\.0.count).max() ?? 0) + 2
        return [headline(terminal), ""] + sentences.map { "  \($0)" } + [""]
            + facts.map { "  " + terminal.paint(TerminalText.padded($0.0, to: width), .faint) + $0.1 }
    }

    // MARK: Sentences

    private func headline(_ terminal: Terminal) -> String {
        let id = target["id"]?.words ?? "?"
        let name = target["name"]?.words.flatMap { $0 == id ? nil : " (\($0))" } ?? ""
        let since = target["since"]?.moment.map { moment in
            let length =
                now.map { ", for \(DurationFormatter.long(milliseconds: $0.milliseconds - moment.milliseconds))" } ?? ""
            return " since \(LocalTimeFormatter.text(moment, withDate: true, withMilliseconds: false))\(length)"
        }
        return terminal.paint(id, .bold) + name + " is " + terminal.paint(state, StateColor.of(state)) + (since ?? "")
    }

    private var sentences: [String] {
        var sentences: [String] = []
        if let detail = target["reason", "detail"]?.words {
            sentences.append(Self.sentence(detail) + (target["reason", "code"]?.words.map { " (\($0))" } ?? ""))
        }
        sentences.append(verdict)
        // Who was not asked yet is nobody's fault.
        if let cause = target["cause"]?.text, !isNew { sentences += Self.fault(cause) }
        if let rule = target["decision", "rule"]?.text { sentences += evidence(rule) }
        sentences.append(path)
        if target["is_flapping"]?.boolean == true {
            sentences.append("Its results change so often that no state lasts: it is flapping.")
        }
        if let pending = target["pending"], let toward = pending["toward"]?.words {
            let count = pending["count"]?.integer ?? 0
            sentences.append(
                "\(count) \(count == 1 ? "result speaks" : "results in a row speak") for \(toward); it takes \(pending["of"]?.integer ?? 0)."
            )
        }
        for (id, body) in parents {
            sentences.append("It depends on \(TerminalText.safe(id)), which is \(body["state"]?.words ?? "unknown").")
        }
        return sentences
    }

    /// What decided.
    private var verdict: String {
        switch target["decision", "basis"]?.text {
        case "paused": return "Somebody paused it, which goes over everything else."
        case "maintenance": return "A declared maintenance goes over everything else but a pause."
        case "path": return "The path decided: no packet can leave for it, and its probe rests."
        case "parent":
            let parent = target["decision", "parent"]?.words ?? "what it depends on"
            return "\(parent), which it depends on, cannot be used: it is not asked while that lasts."
        case "awaited": return "Results that would decide are awaited."
        case "probe":
            guard let fall = target["probe", "fall"]?.integer, let rise = target["probe", "rise"]?.integer else {
                return "Its probe's results decided."
            }
            return "Its probe's results decided: \(Self.results(fall, "failure")) in a row make it down, "
                + "\(Self.results(rise, "success")) up again."
        default:
            return target["probe"] == nil
                ? "It has no probe: whether a packet could leave for it has the last word." : "Nothing decided yet."
        }
    }

    private static func results(_ count: Int, _ word: String) -> String {
        count == 1 ? "1 \(word)" : "\(count) \(word)\(word.hasSuffix("s") ? "es" : "s")"
    }

    private static func fault(_ cause: String) -> [String] {
        switch cause {
        case "target": ["The fault is the target's own."]
        case "local_network":
            ["The fault is in this machine's network, or between it and the internet, not at the target."]
        case "dns": ["The fault is in the resolution of its name."]
        case "parent": ["The fault is at something that it depends on."]
        case "self": ["reachd itself was not able to ask: nobody knows."]
        default: []
        }
    }

    private var isPush: Bool { target["probe", "type"]?.text == "push" }

    private var isNew: Bool { target["decision", "basis"]?.text == "awaited" && target["last_result"] == nil }

    private func evidence(_ rule: String) -> [String] {
        switch rule {
        case "wrong_answer" where isPush:
            ["Evidence: it called, and said itself that something is wrong (rule wrong_answer)."]
        case "no_answer" where isPush: ["Evidence: it did not call, and nothing else is wrong (rule no_answer)."]
        case "wrong_answer":
            ["Evidence: somebody answered, and wrongly, so the way there and back is proven (rule wrong_answer)."]
        case "no_answer": ["Evidence: only the target does not answer (rule no_answer)."]
        case "gateway_silent": ["Evidence: the gateway does not answer either (rule gateway_silent)."]
        case "internet_down": ["Evidence: too few anchors answer either (rule internet_down)."]
        case "resolution_failed": ["Evidence: its name could not be resolved (rule resolution_failed)."]
        case "own_firewall":
            ["Evidence: this machine's own firewall, or a route of it, refused the packet (rule own_firewall)."]
        case "wrong_address":
            ["Evidence: its name resolved to an address that is not among the expected (rule wrong_address)."]
        case "way_unproven":
            [
                "Evidence: it does not answer, as expected, but neither an anchor nor another target behind the same gateway "
                    + "shows that the way there works (rule way_unproven)."
            ]
        case "not_sent": ["Evidence: the probe could not be sent from this machine (rule not_sent); see reachd doctor."]
        case "too_late": ["Evidence: reachd was too late to see an answer (rule too_late): this machine is overloaded."]
        case "nothing_failed": ["Evidence: it answers, not as it should (rule nothing_failed)."]
        default: ["Rule \(TerminalText.safe(rule))."]
        }
    }

    private var path: String {
        guard target["path"] != nil else { return "There was no verdict on its path yet." }
        let can = target["reachable"]?.boolean == true ? "A packet can leave for it" : "No packet can leave for it"
        return can + PathFormatter.suffix(target) + "."
    }

    private static func sentence(_ text: String) -> String {
        let capital = text.prefix(1).uppercased() + text.dropFirst()
        return text.hasSuffix(".") ? capital : capital + "."
    }

    // MARK: Facts

    private var facts: [(String, String)] {
        let result = target["last_result"]
        return [
            ("declared", declared),
            ("kernel", "\(target["status"]?.words ?? "unknown") \(target["flags", "text"]?.words ?? "")"),
            ("addresses", resolution),
            ("probe", probe),
            ("last result", result.map(self.result) ?? (target["probe"] == nil ? "" : "none yet")),
            ("phases", phases(result)),
            ("certificate", certificate(result)),
            ("event", target["sequence"]?.integer.map(String.init) ?? ""),
        ]
    }

    private var declared: String {
        let what = ["host", "address", "kind"].compactMap { target[$0]?.words }.first ?? ""
        let origin = target["origin"]?.words.map { ", origin \($0)" } ?? ""
        let group = target["group"]?.words.map { ", group \($0)" } ?? ""
        let tags = target["tags"]?.members?.map { "\(TerminalText.safe($0.name)):\($0.value.words ?? "")" } ?? []
        return what + origin + group + (tags.isEmpty ? "" : ", tags " + tags.joined(separator: " "))
    }

    private var resolution: String {
        let addresses = target["resolution", "addresses"]?.elements?.prefix(8).compactMap(\.words) ?? []
        guard let error = target["resolution", "error"]?.words else { return addresses.joined(separator: ", ") }
        return error
    }

    private var probe: String {
        guard let probe = target["probe"], let type = probe["type"]?.words else { return "" }
        var parts = [type]
        if let url = probe["url"]?.words { parts.append(url) }
        if let port = probe["port"]?.integer { parts.append("port \(port)") }
        let asked = [
            ("interval_seconds", "every"), ("confirm_interval_seconds", "when in doubt every"),
            ("timeout_seconds", "within"),
            ("max_latency_seconds", "degraded above"),
        ]
        // It is the one that calls.
        let calling = [("interval_seconds", "every"), ("grace_seconds", "and a grace of")]
        for (key, words) in isPush ? calling : asked {
            if let seconds = probe[key]?.number { parts.append("\(words) \(DurationFormatter.setting(seconds))") }
        }
        if let fall = probe["fall"]?.integer { parts.append("fall \(fall)") }
        if let rise = probe["rise"]?.integer { parts.append("rise \(rise)") }
        return parts.joined(separator: ", ")
    }

    private func result(_ result: JSONValue) -> String {
        var parts = [result["outcome"]?.words ?? "unknown"]
        if let seconds = result["duration_seconds"]?.number {
            parts.append("after \(DurationFormatter.latency(seconds))")
        }
        if let at = result["at"]?.moment { parts.append("at \(LocalTimeFormatter.text(at, withDate: true))") }
        if let address = result["address"]?.words { parts.append("from \(address)") }
        let detail = result["reason", "detail"]?.words ?? result["detail"]?.words
        return parts.joined(separator: " ") + (detail.map { ": \($0)" } ?? "")
    }

    private func phases(_ result: JSONValue?) -> String {
        (result?["phases"]?.members ?? []).prefix(8).compactMap { name, value in
            value.number.map { "\(TerminalText.safe(name)) \(DurationFormatter.latency($0))" }
        }.joined(separator: ", ")
    }

    private func certificate(_ result: JSONValue?) -> String {
        guard let leaf = result?["tls", "chain"]?.elements?.first else { return "" }
        let subject = leaf["subject"]?.words ?? "?"
        guard let end = leaf["not_after"]?.moment, let now else { return subject }
        return "\(subject), ends \(TimestampFormatter.end(of: end.milliseconds / 1_000, at: now.milliseconds / 1_000))"
    }
}
