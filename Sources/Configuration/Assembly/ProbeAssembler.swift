// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema

/// Makes a target's probe from checked mappings, and finds conflicting settings.
struct ProbeAssembler {
    let object: ValidatedMapping
    let target: ValidatedMapping
    let subject: PathTarget
    /// The firewall mark of the target's packets.
    let mark: UInt32?
    let pinReader: PinReader

    /// - Returns: nil when something was wrong, which was reported.
    func assemble(_ problems: inout MappingDiagnostics) -> ProbePlan? {
        guard let type = object.text("type") else { return nil }
        let declared = DeclaredProbe(object)
        let verdict = verdict(declared, &problems)
        // Also with wrong state machine settings: all faults are reported at once.
        guard let method = method(type, declared, &problems), let verdict else { return nil }
        return ProbePlan(method, verdict: verdict, jitter: Double(declared.jitterPercent) / 100)
    }

    // MARK: Verdict

    private func verdict(_ declared: DeclaredProbe, _ problems: inout MappingDiagnostics) -> VerdictSettings? {
        do throws(VerdictSettingsError) {
            return try declared.verdict()
        } catch {
            switch error.code {
            case .confirmInterval:
                problems.add(.conflict, in: "probe", at: "confirm_interval", "confirm_interval is longer than interval")
            case .maximumInterval:
                problems.add(.conflict, in: "probe", at: "max_interval", "max_interval is shorter than interval")
            case .backoffFactor:
                let hint = "write 0 for none, or at least 10"
                let words = "backoff_percent is too small for a backoff"
                problems.add(.outOfRange, in: "probe", at: "backoff_percent", words, hint: hint)
            default:
                problems.add(
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
        _ declared: DeclaredProbe,
        _ problems: inout MappingDiagnostics
    ) -> ProbePlan.Method? {
        guard type != ConfigurationSchema.push else {
            return .heartbeat(grace: declared.grace ?? declared.interval / 2)
        }
        if type == ConfigurationSchema.traffic { return traffic(declared, &problems) }
        guard let host = host(&problems) else { return nil }
        let timeout = declared.timeout ?? min(declared.interval, .seconds(5))
        var declaration = ProbeDeclaration(
            object,
            of: target,
            host: host.host,
            timeout: timeout,
            pinReader: pinReader,
            problems: problems
        )
        let read = ProbeKind.named(type)?.read(&declaration)
        problems = declaration.problems
        guard let kind = read else { return nil }
        if timeout > declared.interval {
            problems.add(.conflict, in: "probe", at: "timeout", "timeout is longer than interval")
        }
        var request = ProbeRequest(host: host.host, kind: kind, timeout: timeout)
        request.family = declared.family
        request.addresses = declared.addresses
        request.interface = declared.interface ?? host.interface
        request.mark = mark
        request.source = declared.source ?? host.source
        checkFamily(of: request, &problems)
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

    private func traffic(_ declared: DeclaredProbe, _ problems: inout MappingDiagnostics) -> ProbePlan.Method? {
        guard host(&problems) != nil else { return nil }
        guard let port = object.integer("port") ?? target.integer("port"), let port = UInt16(exactly: port) else {
            let hint = "write the TCP port of the connections"
            problems.add(.missingKey, at: "probe", "a traffic probe needs a port", hint: hint)
            return nil
        }
        return .traffic(TrafficPlan(port: port, fall: declared.attempts, maximumAge: declared.maximumAge))
    }

    private func checkFamily(of request: ProbeRequest, _ problems: inout MappingDiagnostics) {
        let wanted: AddressFamily? =
            switch (request.host, request.family) {
            case (.address(let address), _): address.family
            case (_, .ipv4): .ipv4
            case (_, .ipv6): .ipv6
            default: nil
            }
        guard let wanted else { return }
        if request.family == .ipv4 && wanted != .ipv4 || request.family == .ipv6 && wanted != .ipv6 {
            problems.add(.conflict, in: "probe", at: "family", "the target's address is of the other family")
        } else if let source = request.source, source.family != wanted {
            let words = "source_address is of another family than the probe"
            problems.add(.conflict, in: "probe", at: "source_address", words)
        }
    }

    private struct Host {
        var host: ProbeHost
        var interface: String?
        var source: IPAddress?
    }

    private func host(_ problems: inout MappingDiagnostics) -> Host? {
        switch subject {
        case .name(let name): return Host(host: .name(name))
        case .address(let address, let interface): return Host(host: .address(address), interface: interface)
        case .pair(let local, let remote?): return Host(host: .address(remote), source: local)
        case .pair, .defaultPath:
            let hint = "give the target a host or an address"
            problems.add(.conflict, at: "probe", "there is no host to probe", hint: hint)
            return nil
        }
    }
}
