// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Renders why a target is in its state: a head like that of `systemctl status`, the last changes, what to do, then sentences and
/// facts.
struct ExplanationReport {
    private let target: JSONValue
    private let state: String
    private let parents: [(id: String, body: JSONValue)]
    private let now: Timestamp?
    /// Whether codes, rules, flags and the event's number are shown.
    private let isVerbose: Bool
    private let history: JSONValue?
    private let incidents: JSONValue?

    /// The changes that are shown.
    static let changes = 5

    /// - Parameters:
    ///   - target: the answer of `/targets/{id}`.
    ///   - state: its state.
    ///   - parents: the targets that it depends on.
    ///   - history: the answer of `/targets/{id}/history`; nil where there is none.
    ///   - incidents: the open incidents that it is in, as of `/incidents`; nil where there is none.
    ///   - now: the service's time; nil if it is unknown.
    ///   - verbose: whether codes, rules, flags and the event's number are shown.
    init(
        _ target: JSONValue,
        state: String,
        parents: [(String, JSONValue)],
        history: JSONValue? = nil,
        incidents: JSONValue? = nil,
        now: Timestamp?,
        verbose: Bool = false
    ) {
        isVerbose = verbose
        self.history = history
        self.incidents = incidents
        self.target = target
        self.state = state
        self.parents = parents
        self.now = now
    }

    func lines(on terminal: Terminal) -> [String] {
        var lines = headline(terminal) + head(terminal)
        func add(_ title: String, _ more: [String]) {
            guard !more.isEmpty else { return }
            lines += ["", terminal.paint(title, .bold)] + more
        }
        if let history {
            let rows = ChangeRows(history, now: now, limit: Self.changes, terminal: terminal)
            add("CHANGES", rows.lines(on: terminal, now: now))
        }
        if let step = target["advice"]?.words {
            add("WHAT TO DO", TerminalText.hanging("  ", step, to: terminal.width))
        }
        let facts = facts.filter { !$0.1.isEmpty }
        let width = (facts.map(\.0.count).max() ?? 0) + 2
        add(
            "DETAILS",
            sentences.flatMap { TerminalText.hanging("  ", $0, to: terminal.width) }
                + facts.flatMap { name, text in
                    let name = terminal.paint(TerminalText.padded(name, to: width), .faint)
                    return TerminalText.hanging("  " + name, text, to: terminal.width)
                }
        )
        return lines
    }

    // MARK: Head

    private func headline(_ terminal: Terminal) -> [String] {
        let id = target["id"]?.words ?? "?"
        let name = target["name"]?.words ?? id
        let mark = terminal.paint(terminal.isUnicode ? "●" : "*", StateColor.of(state)) + " "
        let place = target["probe", "url"]?.words ?? ["host", "address", "kind"].compactMap { target[$0]?.words }.first
        let words = terminal.paint(name, .bold) + (name == id ? "" : " (\(id))") + (place.map { " - \($0)" } ?? "")
        return TerminalText.hanging(mark, words, to: terminal.width)
    }

    private func head(_ terminal: Terminal) -> [String] {
        var rows: [(String, String)] = [("state", terminal.paint(state, StateColor.of(state)) + since)]
        if let detail = target["reason", "detail"]?.words {
            let code = target["reason", "code"]?.words.flatMap { isVerbose ? " (\($0))" : nil }
            rows.append(("reason", detail + (code ?? "")))
        }
        // A target without a result has no cause yet.
        let fault = isNew ? nil : target["cause"]?.text.flatMap(fault)
        let evidence = target["decision", "rule"]?.text.map(evidence)
        if let fault { rows.append(("fault", fault)) }
        if let evidence { rows.append(("evidence", evidence)) }
        for incident in (incidents?["incidents"]?.elements ?? []).prefix(4) {
            let id = incident["id"]?.words.map { " (\($0))" } ?? ""
            rows.append(("incident", (incident["title"]?.words ?? "?") + id + IncidentText.Marks(incident).text(now)))
        }
        if let next = nextProbe { rows.append(("next probe", next)) }
        let width = 10
        return rows.flatMap { name, text in
            let blanks = String(repeating: " ", count: max(0, width - name.count))
            return TerminalText.hanging("\(blanks)\(name): ", text, to: terminal.width)
        }
    }

    private var since: String {
        guard let moment = target["since"]?.moment else { return "" }
        let time = LocalTimeFormatter.text(moment, withDate: true, withMilliseconds: false)
        guard let now else { return " since \(time)" }
        let length = now.milliseconds.subtractingReportingOverflow(moment.milliseconds).0
        return " since \(time); \(DurationFormatter.long(milliseconds: length))"
    }

    /// When it is probed again.
    private var nextProbe: String? {
        guard let probe = target["probe"], votes.isEmpty, let interval = probe["interval_seconds"]?.number else {
            return nil
        }
        switch target["decision", "basis"]?.text {
        case "paused": return "none while it is paused"
        case "path": return "when this machine has a route to it"
        case "parent": return "when \(target["decision", "parent"]?.words ?? "its parent") is usable"
        default: break
        }
        guard !isPush else {
            let grace = probe["grace_seconds"]?.number.map { " with a grace of \(DurationFormatter.setting($0))" } ?? ""
            return "none: it sends heartbeats every \(DurationFormatter.setting(interval))\(grace)"
        }
        let isPending = target["pending"] != nil
        let pause = isPending ? probe["confirm_interval_seconds"]?.number ?? interval : interval
        let every = "every \(DurationFormatter.setting(pause))" + (isPending ? " to confirm" : "")
        guard let now, let due = target["next_probe_at"]?.moment else { return every }
        let left = due.milliseconds.subtractingReportingOverflow(now.milliseconds).0
        guard left >= 1_000 else { return "now, \(every)" }
        return "\(LocalTimeFormatter.recent(due, now)), in \(DurationFormatter.long(milliseconds: left)), \(every)"
    }

    // MARK: Sentences

    private var sentences: [String] {
        var sentences: [String] = []
        sentences += votes.isEmpty ? [verdict] : FleetExplanation.sentences(target)
        sentences += traffic
        if votes.isEmpty { sentences.append(path) }
        if target["is_flapping"]?.boolean == true {
            sentences.append("It is flapping: its results change too often for a stable state.")
        }
        if votes.isEmpty, let pending = target["pending"], let toward = pending["toward"]?.words {
            let count = pending["count"]?.integer ?? 0
            let results = count == 1 ? "1 result indicates" : "\(count) consecutive results indicate"
            sentences.append("\(results) \(toward); \(pending["of"]?.integer ?? 0) are needed.")
        }
        for (id, body) in parents {
            sentences.append("It depends on \(TerminalText.safe(id)), which is \(body["state"]?.words ?? "unknown").")
        }
        return sentences
    }

    /// The votes of a fleet's locations; empty for a node's own view.
    private var votes: [JSONValue] { target["votes"]?.elements ?? [] }

    /// What the state was decided by.
    private var verdict: String {
        switch target["decision", "basis"]?.text {
        case "paused": return "It is paused, which overrides everything else."
        case "maintenance": return "It is in maintenance, which overrides everything but a pause."
        case "path": return "The path decided: this machine has no usable route to it, so its probe is not run."
        case "parent":
            let parent = target["decision", "parent"]?.words ?? "its parent"
            return "It depends on \(parent), which is not usable: it is not probed until that recovers."
        case "awaited":
            return isNew ? "Waiting for its first results." : "Its next results decide."
        case "probe":
            guard let fall = target["probe", "fall"]?.integer, let rise = target["probe", "rise"]?.integer else {
                return "The probe's results decided."
            }
            return "The probe's results decided: \(Self.results(fall, "failure")) set it down, "
                + "\(Self.results(rise, "success")) set it up again."
        default:
            return target["probe"] == nil
                ? "It has no probe: the path alone decides." : "Not evaluated yet."
        }
    }

    private static func results(_ count: Int, _ word: String) -> String {
        count == 1 ? "1 \(word)" : "\(count) consecutive \(word)\(word.hasSuffix("s") ? "es" : "s")"
    }

    private func fault(_ cause: String) -> String? {
        switch cause {
        case "local_network" where !votes.isEmpty: "the networks of the locations, not the target"
        case "path" where !votes.isEmpty: "the path between some locations and the target"
        case "self" where !votes.isEmpty: "no location has judged the target; its state is not known"
        case "target": "the target itself"
        case "local_network": "this machine's network or its uplink, not the target"
        case "path": "a router or firewall on the path to it"
        case "dns": "DNS, its name does not resolve"
        case "parent": "a target that it depends on"
        case "self": "reachd itself could not run the probe; the target's state is not known"
        default: nil
        }
    }

    private var isPush: Bool { target["probe", "type"]?.text == "push" }

    private var isNew: Bool { target["decision", "basis"]?.text == "awaited" && target["last_result"] == nil }

    private func evidence(_ rule: String) -> String {
        let words: String? =
            switch rule {
            case "wrong_answer" where isPush: "its heartbeat reported a failure"
            case "no_answer" where isPush: "no heartbeat arrived, and nothing else is known to be wrong"
            case "wrong_answer": "an answer came back, so the path works in both directions"
            case "no_answer": "it does not respond, and nothing shows a fault on the way to it"
            case "path_broken" where target["reason", "detail"]?.text?.hasSuffix("responds") == true:
                "several hosts behind the same place are silent, and none responds"
            case "path_broken": "a trace of the path ends before it"
            case "mtu_black_hole": "connections open, small packets pass and large ones vanish, without an ICMP error"
            case "target_rejects", "gateway_rejects", "router_rejects", "host_absent": offender
            case "gateway_silent": "the gateway does not respond either"
            case "internet_down": "fewer anchors respond than the quorum"
            case "resolution_failed": "its name could not be resolved"
            case "own_firewall": "a firewall or route of this machine, or its gateway, stops the packets"
            case "wrong_address": "its name resolves to an unexpected address"
            case "way_unproven":
                "it does not respond, as expected, but no anchor and no other target behind the same gateway shows that "
                    + "the path works"
            case "not_sent": "this machine could not send the probe; see reachd doctor"
            case "too_late": "reachd was too late to see an answer: this machine is overloaded"
            case "nothing_failed": "it responds, but not as configured"
            default: nil
            }
        guard let words else { return "rule \(TerminalText.safe(rule))" }
        return words + (isVerbose ? " (rule \(rule))" : "")
    }

    /// The host that reported why the packet did not arrive.
    private var offender: String {
        guard let offender = target["reason", "offender"] ?? target["last_result", "reason", "offender"],
            let message = offender["message"]?.words
        else { return "an ICMP error reports that the packet was not forwarded" }
        let type =
            isVerbose ? " (ICMP \(offender["icmp_type"]?.integer ?? 0)/\(offender["icmp_code"]?.integer ?? 0))" : ""
        let role =
            switch offender["role"]?.text {
            case "this_machine": "this machine"
            case "target": "the target itself"
            case "gateway": "the gateway"
            default: "the router"
            }
        // A target that hides its address hides the offender's.
        let address = offender["address"]?.words.map { " \($0)" } ?? ""
        let hops = offender["hops"]?.integer.map { $0 > 1 ? ", \($0) hops away," : "" } ?? ""
        return "\(role)\(address)\(hops) says: \(message)\(type)"
    }

    /// What this machine's own connections show.
    private var traffic: [String] {
        guard let recent = target["traffic", "recent"], let minutes = recent["minutes"]?.integer else { return [] }
        let period = "in the last \(minutes) minutes"
        var sentences: [String] = []
        if let count = recent["connections"]?.integer, count > 0 {
            sentences.append(
                "\(count) \(count == 1 ? "connection" : "connections") of this machine succeeded \(period)."
            )
        }
        if let count = recent["failed"]?.integer, count > 0 {
            let kinds = [("refused", "refused"), ("unanswered", "not answered")].compactMap { key, words in
                recent[key]?.integer.map { "\($0) \(words)" }
            }
            sentences.append(
                "\(count) \(count == 1 ? "connection attempt" : "connection attempts") of this machine failed \(period): "
                    + "\(kinds.joined(separator: ", "))."
            )
        }
        if let share = recent["observed_share"]?.number, share < 0.9, !sentences.isEmpty {
            sentences.append("Only \(DurationFormatter.fixed(share * 100, 0)) % of that time was observed.")
        }
        let hanging = target["traffic", "hanging_at_failure"]
        if let count = hanging?["hanging"]?.integer, count > 0, let examined = hanging?["examined"]?.integer,
            let time = hanging?["at"]?.words
        {
            sentences.append("\(count) of \(examined) open connections of this machine hung at \(time).")
        }
        return sentences
    }

    private var path: String {
        guard target["path"] != nil else { return "Its path is not evaluated yet." }
        let isReachable = target["system_configuration", "reachable"]?.boolean == true
        return (isReachable ? "This machine has a route to it" : "This machine has no usable route to it")
            + PathFormatter.suffix(target) + "."
    }

    // MARK: Facts

    private var facts: [(String, String)] {
        let result = target["last_result"]
        let system = target["system_configuration"]
        return [
            ("declared", declared),
            (
                "path",
                isVerbose && votes.isEmpty
                    ? "\(system?["status"]?.words ?? "unknown") \(system?["flags", "text"]?.words ?? "")" : ""
            ),
            ("addresses", resolution),
            ("probe", probe),
            (
                "last result",
                result.map(self.result) ?? (target["probe"] == nil || !votes.isEmpty ? "" : "none yet")
            ),
            ("phases", phases(result)),
            ("certificate", certificate(result)),
            ("event", isVerbose ? target["sequence"]?.integer.map(String.init) ?? "" : ""),
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
            ("interval_seconds", "every"), ("confirm_interval_seconds", "to confirm every"),
            ("timeout_seconds", "timeout"),
            ("max_latency_seconds", "degraded above"),
        ]
        let calling = [("interval_seconds", "every"), ("grace_seconds", "grace")]
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
        let detail = result["detail"]?.words ?? result["reason", "detail"]?.words
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
        return
            "\(subject), \(TimestampFormatter.expiry(of: end.milliseconds / 1_000, at: now.milliseconds / 1_000))"
    }
}
