// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema

/// Makes a target's probe of checked mappings, and finds what does not fit together.
struct ProbeAssembler {
    let object: CheckedObject
    let target: CheckedObject
    let subject: PathTarget
    /// The firewall mark of the target's packets.
    let mark: UInt32?
    let pinReader: PinReader

    /// - Returns: nil when something was wrong; it was complained about.
    func assemble(_ complaints: inout TargetComplaints) -> ProbePlan? {
        guard let type = object.text("type") else { return nil }
        refuseStrangers(type, &complaints)
        let verdict = verdict(type, &complaints)
        // Also when the verdict's settings are wrong: all faults are told at once.
        let interval = verdict?.interval ?? object.duration("interval") ?? VerdictSettings.standard.interval
        guard let method = method(type, interval, &complaints), let verdict else { return nil }
        return ProbePlan(method, verdict: verdict, jitter: Double(object.integer("jitter_percent") ?? 10) / 100)
    }

    // MARK: Verdict

    private func verdict(_ type: String, _ complaints: inout TargetComplaints) -> VerdictSettings? {
        // A call is the target's own word, and grace is its slack already: one that is missed, or comes, decides.
        func count(_ key: String, _ standard: Int) -> Int {
            type == "push" && !object.isWritten(key) ? 1 : object.integer(key) ?? standard
        }
        do throws(VerdictSettingsError) {
            return try VerdictSettings(
                fall: count("fall", 3),
                rise: count("rise", 2),
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
        _ interval: Duration,
        _ complaints: inout TargetComplaints
    ) -> ProbePlan.Method? {
        guard type != "push" else {
            return .heartbeat(grace: object.duration("grace") ?? interval / 2)
        }
        guard let host = host(&complaints), let kind = kind(type, host.host, &complaints) else { return nil }
        let timeout = object.duration("timeout") ?? min(interval, .seconds(5))
        if timeout > interval {
            complaints.add(.conflict, in: "probe", at: "timeout", "it is longer than the interval")
        }
        if case .icmp(let requests) = kind { checkTime(of: requests, within: timeout, &complaints) }
        var request = ProbeRequest(host: host.host, kind: kind, timeout: timeout)
        request.family = family
        request.addresses = object.text("addresses").flatMap(AddressChoice.init) ?? .first
        request.interface = object.text("interface") ?? host.interface
        request.mark = mark
        if case .address(let source, _)? = object["source_address"]?.value { request.source = source }
        request.source = request.source ?? host.source
        checkFamily(of: request, &complaints)
        if let expect = object.object("expect") {
            request.expectsFailure = expect.boolean("reachable") == false
            request.latencyBound = expect.duration("max_latency")
            request.expiry = Self.expiry(expect)
            request.expectedAddresses = expect.values("resolved").compactMap { value in
                if case .coverage(let prefix) = value { prefix } else { nil }
            }
        }
        return .ask(request)
    }

    private static func expiry(_ expect: CheckedObject) -> ExpiryBounds {
        func days(_ key: String) -> Int32? { expect.integer(key).flatMap(Int32.init(exactly:)) }
        return ExpiryBounds(
            certificate: days("certificate_days"),
            leaf: days("leaf_days"),
            earliestSent: days("sent_days"),
            verifiedChain: days("verified_chain_days"),
            pins: days("pin_days")
        )
    }

    private var family: ProbeFamily {
        switch object.text("family") {
        case "4", "ipv4": .ipv4
        case "6", "ipv6": .ipv6
        case "both": .both
        default: .any
        }
    }

    private func checkTime(
        of requests: ICMPProbeSettings,
        within timeout: Duration,
        _ complaints: inout TargetComplaints
    ) {
        guard requests.spacing * (requests.count - 1) >= timeout else { return }
        let hint = "take fewer, a shorter spacing or a longer timeout"
        complaints.add(.conflict, in: "probe", at: "icmp", "the last request is sent after the timeout", hint: hint)
    }

    private func checkFamily(of request: ProbeRequest, _ complaints: inout TargetComplaints) {
        let wanted: AddressFamily? =
            switch (request.host, request.family) {
            case (.address(let address), _): address.family
            case (_, .ipv4): .ipv4
            case (_, .ipv6): .ipv6
            default: nil
            }
        guard let wanted else { return }
        if request.family == .ipv4 && wanted != .ipv4 || request.family == .ipv6 && wanted != .ipv6 {
            complaints.add(.conflict, in: "probe", at: "family", "the target's address is of the other family")
        } else if let source = request.source, source.family != wanted {
            let words = "the source is of another family than what is asked"
            complaints.add(.conflict, in: "probe", at: "source_address", words)
        }
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

    private func kind(_ type: String, _ host: ProbeHost, _ complaints: inout TargetComplaints) -> ProbeKind? {
        let exchange = ExchangeAssembler(object: object, host: host, pinReader: pinReader)
        switch type {
        case "tcp":
            guard let port = port(&complaints) else { return nil }
            let tls = exchange.tls(&complaints)
            let startTLS = exchange.startTLS.map { StartTLS($0, tls: tls) }
            if startTLS == nil, object.has("tls") {
                let hint = "write type: tls, or starttls beside it"
                complaints.add(.conflict, in: "probe", at: "tls", "tcp speaks no TLS without starttls", hint: hint)
            }
            return .tcp(TCPProbeSettings(port: port, startTLS: startTLS, dialogue: dialogue(&complaints)))
        case "tls":
            guard let port = port(&complaints, standard: exchange.startTLS == nil ? 443 : nil) else { return nil }
            let tls = exchange.tls(&complaints)
            let dialogue = dialogue(&complaints)
            return .tls(TLSProbeSettings(port: port, tls: tls, startTLS: exchange.startTLS, dialogue: dialogue))
        case "http":
            return exchange.http(port: givenPort, &complaints)
        case "grpc":
            return port(&complaints).map { exchange.grpc(port: $0, &complaints) }
        case "udp":
            checkReply(&complaints)
            return port(&complaints).map { port in
                let payload = Array((object.text("payload") ?? "").utf8)
                return .udp(UDPProbeSettings(port: port, payload: payload, reply: reply))
            }
        case "dns": return dns(&complaints)
        case "icmp": return .icmp(icmp)
        default: return nil
        }
    }

    private var givenPort: UInt16? {
        (object.integer("port") ?? target.integer("port")).flatMap(UInt16.init(exactly:))
    }

    private func port(_ complaints: inout TargetComplaints, standard: UInt16? = nil) -> UInt16? {
        if let port = givenPort ?? standard { return port }
        // What is no port was complained of already.
        if !object.has("port"), !target.has("port") {
            complaints.add(.missingKey, at: "probe", "the probe needs a port")
        }
        return nil
    }

    private func dialogue(_ complaints: inout TargetComplaints) -> [DialogueStep] {
        object.objects("dialogue").compactMap { index, step in
            guard !step.isFaulty("expect") else { return nil }
            switch (step.text("send"), step.special("expect", as: ProbePattern.self)) {
            case (let text?, nil): return .send(text)
            case (nil, let pattern?): return .expect(pattern)
            default:
                let pointer = "probe/dialogue/\(index)"
                complaints.add(.conflict, at: step.place, pointer: pointer, "a step has either send or expect")
                return nil
            }
        }
    }

    /// Silence of a port says nothing by itself: what counts has to be said.
    private func checkReply(_ complaints: inout TargetComplaints) {
        let expect = object.object("expect")
        let isSilenceEnough = expect?.boolean("silence") == true
        let isUnreachable = expect?.boolean("reachable") == false
        if isSilenceEnough, isUnreachable {
            let words = "silence is what reachable: false expects already"
            complaints.add(.conflict, in: "probe", "expect", at: "silence", words, hint: "remove it")
        }
        guard expect?.has("reply") != true, !isSilenceEnough, !isUnreachable else { return }
        complaints.add(
            .missingKey,
            in: "probe",
            at: "expect",
            "a probe of type udp does not say what to expect, and silence alone shows nothing",
            hint:
                "write payload and expect: { reply: \".\" } for a server that replies, or expect: { silence: true } when it is "
                + "enough that nobody refuses"
        )
    }

    private var reply: UDPProbeSettings.Reply {
        guard let expect = object.object("expect") else { return .any }
        if expect.boolean("silence") == true { return .notExpected() }
        if let pattern: ProbePattern = expect.special("reply") { return .matching(pattern) }
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
                "dns",
                at: "type",
                "\(typeName.quoted) is no type of records",
                hint: "write A, MX or TYPE65"
            )
            return nil
        }
        var settings = DNSProbeSettings(name: name, type: type)
        settings.port = port(&complaints, standard: 53) ?? 53
        settings.transport = question.text("transport").flatMap(DNSProbeSettings.Transport.init) ?? .udp
        settings.recordClass = ["ch": 3, "hs": 4][question.text("class") ?? "in"] ?? 1
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
                    "expect",
                    at: "rcode",
                    "\(name.quoted) is no response code",
                    hint: hint
                )
            }
        }
        if !codes.isEmpty { settings.expectedCodes = codes }
        settings.minimumAnswers = expect.integer("min_answers") ?? 1
        settings.requiredAnswers = expect.specials("answers")
        settings.refusedAnswers = expect.specials("refused_answers")
        settings.requiresAuthority = expect.boolean("authority") ?? false
    }

    // MARK: Keys of other types

    /// The types that reachd asks by itself.
    private static let asking: Set = ["tcp", "tls", "udp", "dns", "icmp", "http", "grpc"]

    /// Keys that only some types have; of those with a default, what a type without them would do.
    private static let owners: [(key: String, types: Set<String>, neutral: String?)] = [
        ("grace", ["push"], nil), ("dialogue", ["tcp", "tls"], nil), ("payload", ["udp"], nil), ("dns", ["dns"], nil),
        ("icmp", ["icmp"], nil), ("port", asking.subtracting(["icmp"]), nil), ("timeout", asking, nil),
        ("source_address", asking, nil), ("interface", asking, nil), ("expect", asking, nil),
        ("family", asking, "any"), ("addresses", asking, "first"),
    ]

    /// The same for the keys of `expect`.
    private static let expectationOwners: [(key: String, types: Set<String>)] =
        [
            ("reply", ["udp"]), ("silence", ["udp"]), ("rcode", ["dns"]), ("min_answers", ["dns"]),
            ("answers", ["dns"]),
            ("refused_answers", ["dns"]), ("authority", ["dns"]),
            ("status", ["http"]), ("headers", ["http"]),
            ("body_contains", ["http"]), ("body_not_contains", ["http"]), ("body_matches", ["http"]),
            ("body_not_matches", ["http"]), ("json", ["http"]), ("whole_body", ["http"]),
        ]
        + ["certificate_days", "leaf_days", "sent_days", "verified_chain_days", "pin_days"].map {
            ($0, ["tcp", "tls", "http", "grpc"])
        }

    /// The same for what speaks TLS, HTTP or gRPC.
    private static let exchangeOwners: [(key: String, types: Set<String>)] =
        [
            ("tls", ["tcp", "tls", "http", "grpc"]), ("starttls", ["tcp", "tls"]), ("headers", ["http", "grpc"]),
            ("service", ["grpc"]), ("authority", ["grpc"]),
        ]
        + ["url", "method", "body", "http_version", "redirects", "proxy", "auth", "compression", "body_limit"].map {
            key in
            (key, ["http"])
        }

    private func refuseStrangers(_ type: String, _ complaints: inout TargetComplaints) {
        for (key, types, neutral) in Self.owners where object.has(key) && !types.contains(type) {
            if let neutral, object.text(key) == neutral { continue }
            let owners = types == Self.asking ? "what reachd asks by itself" : Self.words(types)
            complaints.add(.conflict, in: "probe", at: key, "\(key) is for \(owners) only", hint: "remove it")
        }
        for (key, types) in Self.exchangeOwners where object.isWritten(key) && !types.contains(type) {
            complaints.add(
                .conflict,
                in: "probe",
                at: key,
                "\(key) is for \(Self.words(types)) only",
                hint: "remove it"
            )
        }
        guard Self.asking.contains(type), let expect = object.object("expect") else { return }
        for (key, types) in Self.expectationOwners where expect.isWritten(key) && !types.contains(type) {
            let words = "\(key) is for \(Self.words(types)) only"
            complaints.add(.conflict, in: "probe", "expect", at: key, words, hint: "remove it")
        }
        if expect.has("reply"), expect.boolean("silence") == true {
            complaints.add(.conflict, in: "probe", "expect", at: "silence", "a reply is wanted already")
        }
    }

    private static func words(_ types: Set<String>) -> String {
        types == asking.subtracting(["icmp"]) ? "types that have one" : types.sorted().formatted(last: "or")
    }
}
