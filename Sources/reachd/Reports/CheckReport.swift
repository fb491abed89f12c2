// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import ServerTrust

/// Renders a check for a terminal.
struct CheckReport {
    /// The columns of the bars.
    private static let bars = 40

    private let outcome: CheckOutcome

    init(_ outcome: CheckOutcome) {
        self.outcome = outcome
    }

    func lines(on terminal: Terminal) -> [String] {
        var lines = TerminalText.hanging("", headline(terminal), indent: 2, to: terminal.width)
        let phases = phases(on: terminal)
        if !phases.isEmpty { lines += [""] + phases }
        lines.append("")
        func add(_ name: String, _ text: String?) {
            guard let text else { return }
            let head = "  " + terminal.paint(TerminalText.padded(name, to: 12), .faint)
            lines += TerminalText.hanging(head, text, to: terminal.width)
        }
        for address in outcome.result.addresses where outcome.result.addresses.count > 1 {
            add("address", "\(address.address)  \(address.outcome.rawValue), \(TerminalText.safe(address.detail))")
        }
        add("answer", answer)
        add("certificate", certificate(terminal))
        add("path", path)
        add("trace", outcome.trace.map { TerminalText.safe($0.detail) })
        add("cause", cause(terminal))
        return lines
    }

    private func headline(_ terminal: Terminal) -> String {
        let result = outcome.result
        let address = result.address.map { " (\($0))" } ?? ""
        let reason = result.reason.map { " [\($0.rawValue)]" } ?? ""
        let detail = TerminalText.safe(result.detail)
        return
            "\(terminal.paint(TerminalText.safe(outcome.subject), .bold))\(address) \(verdict(terminal)): \(detail)\(reason)"
    }

    private func verdict(_ terminal: Terminal) -> String {
        let time = DurationFormatter.latency(outcome.result.responseTime.seconds)
        let state = outcome.state
        let color = StateColor.of(state.rawValue)
        let words: String
        switch state {
        case .unreachable: words = "cannot be reached"
        case .unknown where !outcome.isUndecided: words = "cannot be checked"
        case _ where outcome.isPathInDoubt: words = "does not answer"
        default: return "is " + terminal.paint(state.rawValue, color) + " in \(time)"
        }
        return terminal.paint(words, color) + (outcome.result.duration > .zero ? " after \(time)" : "")
    }

    /// One bar per phase, each at its start.
    private func phases(on terminal: Terminal) -> [String] {
        let phases = ProbePhase.allCases.compactMap { phase in
            outcome.result.phases[phase].map { (phase.rawValue, $0.seconds) }
        }
        let total = max(phases.reduce(0) { $0 + $1.1 }, 1e-9)
        let room = min(Self.bars, max(8, (terminal.width ?? 80) - 24))
        var start = 0.0
        return phases.map { name, seconds in
            let first = min(room - 1, Int((start / total * Double(room)).rounded()))
            let length = max(1, min(room - first, Int((seconds / total * Double(room)).rounded())))
            start += seconds
            let bar = String(repeating: terminal.isUnicode ? "█" : "#", count: length)
            let time = DurationFormatter.latency(seconds)
            let blanks = String(repeating: " ", count: max(0, 9 - time.count))
            return "  \(TerminalText.padded(name, to: 9)) \(blanks)\(time)  " + String(repeating: " ", count: first)
                + terminal.paint(bar, .blue)
        }
    }

    private var answer: String? {
        outcome.result.answers.all.first.map { answer in
            TerminalText.safe(answer.summary { DurationFormatter.latency($0.seconds) }, limit: 1_024)
        }
    }

    private func certificate(_ terminal: Terminal) -> String? {
        guard let tls = outcome.result.tls else { return nil }
        var parts = [TerminalText.safe(tls.version)]
        if let subject = tls.chain.first?.subject { parts.append(TerminalText.safe(subject, limit: 128)) }
        if let end = tls.trust.expiry.effective {
            parts.append(TimestampFormatter.expiry(of: end, at: tls.trust.checkedAt))
        }
        if let fault = tls.trust.firstFault { parts.append(terminal.paint("rejected: \(fault.code.rawValue)", .red)) }
        return parts.joined(separator: ", ")
    }

    private var path: String? {
        guard let path = outcome.path else {
            return "unknown: the kernel does not answer route lookups here; see reachd doctor"
        }
        guard let interface = path.interface, path.reachability.isReachable else {
            return "not usable: \(path.unsatisfiedReason.map { PathFormatter.reason($0.rawValue) } ?? "unknown")"
        }
        let gateway = path.gateway.map { " via \($0)" } ?? ""
        let source = path.sourceAddress.map { ", source \($0)" } ?? ""
        let type = PathFormatter.interfaceType(interface.type.rawValue)
        return "by \(TerminalText.safe(interface.name)) (\(type))\(gateway)\(source)"
    }

    /// nil without a failure.
    private func cause(_ terminal: Terminal) -> String? {
        guard !outcome.isUndecided else {
            return terminal.paint("undecided", .yellow)
                + ": the port is open, or packets to it are dropped; a target with a payload and expect.reply shows which"
        }
        guard let fault = outcome.fault, let diagnosis = outcome.report.diagnosis else { return nil }
        // Size and router are the diagnosis's, not the probe's result's.
        let words =
            outcome.isPathInDoubt
            ? "nothing responds, and no earlier route is known to compare with"
            : diagnosis.rule == .mtuBlackHole ? diagnosis.detail : Self.words(diagnosis.rule)
        return terminal.paint(fault, .red) + ": \(words)"
    }

    static func words(_ rule: CauseRule) -> String {
        switch rule {
        case .kernelRefused: "the kernel rejected the route lookup"
        case .nameUnresolved: "the name has no address"
        case .noPath: "this machine has no usable route to it"
        case .parentDown: "a target that it depends on is not usable"
        case .nothingFailed: "it responds, but not as expected"
        case .notSent: "this machine could not send the probe; see reachd doctor"
        case .ownFirewall: "its firewall, routing table or gateway stops the packets"
        case .wrongAddress: "the name resolves to an unexpected address"
        case .wayUnproven: "it does not respond, as expected, and nothing shows that the path works"
        case .wrongAnswer: "an answer came back, so the path works in both directions"
        case .targetRejects: "it reports that it rejects the packet"
        case .gatewayRejects: "the gateway reports that it does not forward the packet"
        case .routerRejects: "it reports that it does not forward the packet"
        case .tooLate: "this machine was too slow to see an answer"
        case .gatewaySilent: "the gateway does not respond either"
        case .internetDown: "other hosts do not respond either"
        case .resolutionFailed: "its name could not be resolved"
        case .pathBroken: "the path ends before it"
        case .hostAbsent: "the last router reports that no host answers at its address"
        case .mtuBlackHole: "small packets pass and large ones vanish, without an ICMP error"
        case .noAnswer: "it does not respond, and no fault is known on the path"
        }
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double {
        let (whole, attoseconds) = components
        return Double(whole) + Double(attoseconds) / 1e18
    }
}
