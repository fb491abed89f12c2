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
            type == ConfigurationSchema.push && !object.isWritten(key) ? 1 : object.integer(key) ?? standard
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
        guard type != ConfigurationSchema.push else {
            return .heartbeat(grace: object.duration("grace") ?? interval / 2)
        }
        guard let host = host(&complaints) else { return nil }
        let timeout = object.duration("timeout") ?? min(interval, .seconds(5))
        var declaration = ProbeDeclaration(
            object,
            of: target,
            host: host.host,
            timeout: timeout,
            pinReader: pinReader,
            complaints: complaints
        )
        let read = ProbeKind.named(type)?.read(&declaration)
        complaints = declaration.complaints
        guard let kind = read else { return nil }
        if timeout > interval {
            complaints.add(.conflict, in: "probe", at: "timeout", "it is longer than the interval")
        }
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
            request.expiry = ExpiryBounds(expect)
            request.expectedAddresses = expect.values("resolved").compactMap { value in
                if case .coverage(let prefix) = value { prefix } else { nil }
            }
        }
        return .ask(request)
    }

    private var family: ProbeFamily {
        switch object.text("family") {
        case "4", "ipv4": .ipv4
        case "6", "ipv6": .ipv6
        case "both": .both
        default: .any
        }
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
}
