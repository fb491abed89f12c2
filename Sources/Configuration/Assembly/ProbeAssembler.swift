// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing

/// Makes a target's probe of checked mappings, and finds what does not fit together.
struct ProbeAssembler {
    let object: CheckedObject
    let target: CheckedObject
    let subject: PathTarget
    /// The firewall mark of the target's packets.
    let mark: UInt32?

    /// - Returns: nil when something was wrong; it was complained about.
    func assemble(_ complaints: inout TargetComplaints) -> ProbePlan? {
        guard let type = object.text("type") else { return nil }
        refuseStrangers(type, &complaints)
        guard let verdict = verdict(&complaints), let method = method(type, verdict, &complaints) else { return nil }
        return ProbePlan(method, verdict: verdict, jitter: Double(object.integer("jitter_percent") ?? 10) / 100)
    }

    // MARK: Verdict

    private func verdict(_ complaints: inout TargetComplaints) -> VerdictSettings? {
        do throws(VerdictSettingsError) {
            return try VerdictSettings(
                fall: object.integer("fall") ?? 3,
                rise: object.integer("rise") ?? 2,
                interval: object.duration("interval") ?? .seconds(30),
                confirmInterval: object.duration("confirm_interval"),
                backoffFactor: 1 + Double(object.integer("backoff_percent") ?? 0) / 100,
                maximumInterval: object.duration("max_interval"),
                flapDetection: object.boolean("flap_detection") == false ? nil : .standard
            )
        } catch {
            switch error.code {
            case .confirmInterval:
                complaints.add(.conflict, in: "probe", at: "confirm_interval", "it is longer than the interval")
            case .maximumInterval:
                complaints.add(.conflict, in: "probe", at: "max_interval", "it is shorter than the interval")
            case .backoffFactor:
                let hint = "write 0 for none, or 10 at least"
                complaints.add(.outOfRange, in: "probe", at: "backoff_percent", "so little is no backoff", hint: hint)
            default:
                complaints.add(
                    .outOfRange,
                    in: "probe",
                    at: "interval",
                    "the setting \(error.code.rawValue) is out of its range"
                )
            }
            return nil
        }
    }

    // MARK: Method

    private func method(
        _ type: String,
        _ verdict: VerdictSettings,
        _ complaints: inout TargetComplaints
    ) -> ProbePlan.Method? {
        guard type != "push" else {
            return .heartbeat(grace: object.duration("grace") ?? verdict.interval / 2)
        }
        guard let host = host(&complaints), let kind = kind(type, &complaints) else { return nil }
        let timeout = object.duration("timeout") ?? min(verdict.interval, .seconds(5))
        if timeout > verdict.interval {
            complaints.add(.conflict, in: "probe", at: "timeout", "it is longer than the interval")
        }
        var request = ProbeRequest(host: host.host, kind: kind, timeout: timeout)
        request.family = object.text("family").flatMap(ProbeFamily.init) ?? .any
        request.addresses = object.text("addresses").flatMap(AddressChoice.init) ?? .first
        request.interface = object.text("interface") ?? host.interface
        request.mark = mark
        if case .address(let source, _)? = object["source_address"]?.value { request.source = source }
        request.source = request.source ?? host.source
        if let expect = object.object("expect") {
            request.expectsFailure = expect.boolean("reachable") == false
            request.latencyBound = expect.duration("max_latency")
            request.expectedAddresses = expect.values("resolved").compactMap { value in
                if case .coverage(let prefix) = value { prefix } else { nil }
            }
        }
        return .ask(request)
    }

    private struct Host {
        var host: ProbeHost
        var interface: String?
        var source: IPAddress?
    }

    private func host(_ complaints: inout TargetComplaints) -> Host? {
        switch subject {
        case .name(let name): return Host(host: .name(name))
        case .address(let address, let interface): return Host(host: .address(address), interface: interface)
        case .pair(let local, let remote?): return Host(host: .address(remote), source: local)
        case .pair, .defaultPath:
            let hint = "give the target a host or an address"
            complaints.add(.conflict, at: "probe", "there is nobody to ask", hint: hint)
            return nil
        }
    }

    private func kind(_ type: String, _ complaints: inout TargetComplaints) -> ProbeKind? {
        switch type {
        case "tcp":
            return port(&complaints).map { .tcp(TCPProbeSettings(port: $0, dialogue: dialogue(&complaints))) }
        case "udp":
            return port(&complaints).map { port in
                let payload = Array((object.text("payload") ?? "").utf8)
                return .udp(UDPProbeSettings(port: port, payload: payload, reply: reply))
            }
        case "dns": return dns(&complaints)
        case "icmp": return .icmp(icmp)
        default: return nil
        }
    }

    private func port(_ complaints: inout TargetComplaints, standard: UInt16? = nil) -> UInt16? {
        let given = object.integer("port") ?? target.integer("port")
        if let port = given.flatMap(UInt16.init(exactly:)) ?? standard { return port }
        complaints.add(.missingKey, at: "probe", "the probe needs a port")
        return nil
    }

    private func dialogue(_ complaints: inout TargetComplaints) -> [DialogueStep] {
        object.objects("dialogue").compactMap { _, step in
            switch (step.text("send"), step["expect"]?.value) {
            case (let text?, nil): return .send(text)
            case (nil, .pattern(let pattern)?): return .expect(pattern)
            case (nil, .faulty?): return nil
            default:
                complaints.add(.conflict, in: "probe", at: "dialogue", "a step has either send or expect")
                return nil
            }
        }
    }

    private var reply: UDPProbeSettings.Reply {
        guard let expect = object.object("expect") else { return .any }
        if expect.boolean("silence") == true { return .notExpected() }
        if case .pattern(let pattern)? = expect["reply"]?.value { return .matching(pattern) }
        return .any
    }

    private var icmp: ICMPProbeSettings {
        guard let icmp = object.object("icmp") else { return ICMPProbeSettings() }
        return ICMPProbeSettings(
            count: icmp.integer("count") ?? 1,
            spacing: icmp.duration("spacing") ?? .milliseconds(200),
            size: icmp.integer("size") ?? 56,
            timeToLive: icmp.integer("ttl").flatMap(UInt8.init(exactly:)),
            dontFragment: icmp.boolean("dont_fragment") ?? false,
            degradedLoss: Double(icmp.integer("degraded_loss_percent") ?? 0) / 100,
            failedLoss: Double(icmp.integer("failed_loss_percent") ?? 100) / 100
        )
    }

    private func dns(_ complaints: inout TargetComplaints) -> ProbeKind? {
        guard let question = object.object("dns"), let name = question.text("name") else {
            if !object.has("dns") { complaints.add(.missingKey, at: "probe", "a probe of type dns needs the key dns") }
            return nil
        }
        let typeName = question.text("type") ?? "A"
        guard let type = DNSRecordType(name: typeName) else {
            complaints.add(
                .invalidValue,
                in: "probe",
                at: "dns",
                "\(typeName.quoted) is no type of records",
                hint: "write A, MX or TYPE65"
            )
            return nil
        }
        var settings = DNSProbeSettings(name: name, type: type)
        settings.port = port(&complaints, standard: 53) ?? 53
        settings.transport = question.text("transport").flatMap(DNSProbeSettings.Transport.init) ?? .udp
        settings.recursionDesired = question.boolean("recursion") ?? true
        if let expect = object.object("expect") { expectAnswer(expect, &settings, &complaints) }
        return .dns(settings)
    }

    private func expectAnswer(
        _ expect: CheckedObject,
        _ settings: inout DNSProbeSettings,
        _ complaints: inout TargetComplaints
    ) {
        var codes: Set<DNSResponseCode> = []
        for case .text(let name) in expect.values("rcode") {
            if let code = DNSResponseCode(name: name) {
                codes.insert(code)
            } else {
                let hint = "write NOERROR, NXDOMAIN, …"
                complaints.add(
                    .invalidValue,
                    in: "probe",
                    at: "expect",
                    "\(name.quoted) is no response code",
                    hint: hint
                )
            }
        }
        if !codes.isEmpty { settings.expectedCodes = codes }
        settings.minimumAnswers = expect.integer("min_answers") ?? 1
        settings.requiredAnswers = expect.patterns("answers")
        settings.refusedAnswers = expect.patterns("refused_answers")
        settings.requiresAuthority = expect.boolean("authority") ?? false
    }

    // MARK: Keys of other types

    /// Keys that only some types have.
    private static let owners: [(key: String, types: Set<String>)] = [
        ("grace", ["push"]), ("dialogue", ["tcp", "tls"]), ("payload", ["udp"]), ("dns", ["dns"]), ("icmp", ["icmp"]),
    ]

    private func refuseStrangers(_ type: String, _ complaints: inout TargetComplaints) {
        for (key, types) in Self.owners where object.has(key) && !types.contains(type) {
            complaints.add(
                .conflict,
                in: "probe",
                at: key,
                "\(key) is for \(types.sorted().formatted(last: "or")) only",
                hint: "remove it"
            )
        }
    }
}
