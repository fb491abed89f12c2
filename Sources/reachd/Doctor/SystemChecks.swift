// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import LinuxIO
import ReachAPI

/// Whether this is a container, and whose network is seen from here.
enum ContainerCheck {
    static func check(_ environment: [String: String]) -> DiagnosisListing.Check {
        let container = container(environment)
        let place = container.map { "in a container (\($0))" } ?? "not in a container"
        switch isOwnNetwork {
        case true?:
            return DiagnosisListing.Check(
                "network_namespace",
                .warn,
                "\(place), in its own network namespace: reachd watches the links and routes of the namespace, not of the machine",
                advice: "to watch the machine, run reachd in its namespace, for example with --network host"
            )
        case false?:
            return DiagnosisListing.Check("network_namespace", .ok, "\(place), in the network namespace of process 1")
        case nil where container != nil:
            return DiagnosisListing.Check(
                "network_namespace",
                .warn,
                "\(place), perhaps in its own network namespace: reachd then watches the links and routes of the namespace",
                advice: "to watch the machine, run reachd in its namespace, for example with --network host"
            )
        case nil:
            return DiagnosisListing.Check(
                "network_namespace",
                .ok,
                "\(place); only root can see whether the network namespace is that of process 1"
            )
        }
    }

    /// Whether the network namespace is another than that of process 1; nil when that is unknown.
    private static var isOwnNetwork: Bool? {
        guard let own = SystemFile.link("/proc/self/ns/net"), let first = SystemFile.link("/proc/1/ns/net") else {
            return nil
        }
        return own != first
    }

    private static func container(_ environment: [String: String]) -> String? {
        if environment["KUBERNETES_SERVICE_HOST"] != nil { return "Kubernetes" }
        if SystemFile.exists("/.dockerenv") { return "Docker" }
        if SystemFile.exists("/run/.containerenv") { return "Podman" }
        if let name = environment["container"], !name.isEmpty { return name }
        let groups = SystemFile.text("/proc/1/cgroup") ?? ""
        return ["docker", "kubepods", "lxc", "containerd"].first { groups.contains($0) }
    }
}

/// Whether the wall clock is synchronised: certificates are checked against it, and events are dated by it.
enum ClockCheck {
    static func check() -> DiagnosisListing.Check {
        do throws(SystemError) {
            let clock = try ClockState.read()
            if clock.isSynchronized {
                let words =
                    "synchronised, maximum error \(DurationFormatter.latency(Double(clock.maximumError) / 1e6))"
                return DiagnosisListing.Check("clock", .ok, words)
            }
            return DiagnosisListing.Check(
                "clock",
                .warn,
                "not synchronised according to the kernel; certificates may be checked against a wrong time",
                advice: "run chrony, systemd-timesyncd or ntpd (for a container: on the host)"
            )
        } catch {
            return DiagnosisListing.Check(
                "clock",
                .warn,
                "\(error)",
                advice: "the container's seccomp profile may deny adjtimex"
            )
        }
    }
}

/// How many files and sockets the service may have open: see ``DescriptorBudget``.
enum DescriptorCheck {
    private static let least: UInt64 = 256
    private static let advice = NextStep.moreDescriptors

    static func check(_ configuration: ReachdConfiguration) -> DiagnosisListing.Check {
        guard let limit = DescriptorLimit.read() else {
            return DiagnosisListing.Check("descriptors", .warn, "cannot read the limit")
        }
        let count = limit.hard == .max ? "unlimited" : "\(limit.hard)"
        let raised = limit.soft < limit.hard ? " (the service raises the soft limit of \(limit.soft))" : ""
        if limit.hard < least {
            return DiagnosisListing.Check("descriptors", .fail, "only \(count)\(raised)", advice: advice)
        }
        let budget = DescriptorBudget(limit: limit.hard, configuration)
        let words = "\(count)\(raised): \(budget.words)"
        return budget.isEnough
            ? DiagnosisListing.Check("descriptors", .ok, words)
            : DiagnosisListing.Check("descriptors", .warn, words, advice: advice)
    }
}

/// Whether echo requests can be sent, which probes of the kind `icmp` and the look at gateways need.
enum EchoCheck {
    private static let rawCapability = 13

    static func check() -> DiagnosisListing.Check {
        let kinds = [("IPv4", AF_INET, Int32(IPPROTO_ICMP)), ("IPv6", AF_INET6, Int32(58))]
        var ways: [String] = []
        var refused: [String] = []
        for (name, family, transport) in kinds {
            if let way = way(family, transport) { ways.append("\(name) by \(way)") } else { refused.append(name) }
        }
        let range = SystemFile.text("/proc/sys/net/ipv4/ping_group_range").map { text in
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let isGranted = SystemFile.hasCapability(rawCapability)
        let shown =
            "ping_group_range is \(range ?? "not readable"), CAP_NET_RAW is \(isGranted ? "granted" : "not granted")"
        if refused.isEmpty {
            return DiagnosisListing.Check("icmp", .ok, "\(ways.joined(separator: ", ")); \(shown)")
        }
        let words = "no echo requests over \(refused.joined(separator: ", ")): \(shown)"
        let advice = ways.isEmpty ? advice(isGranted) : "this machine may not have \(refused.joined(separator: ", "))"
        return DiagnosisListing.Check("icmp", .warn, words, advice: advice)
    }

    private static func advice(_ isGranted: Bool) -> String {
        let range = "sysctl -w net.ipv4.ping_group_range='0 2147483647'"
        // In a user namespace that does not own the network namespace, a capability has no effect there.
        let remedy =
            isGranted
            ? "the capability is not valid in this network namespace: run \(range) on the host"
            : "\(range) (Docker, Podman: --sysctl; with the host's network: on the host), or grant CAP_NET_RAW"
        return remedy + "; other probes need neither, and gateways are asked by datagrams"
    }

    private static func way(_ family: Int32, _ transport: Int32) -> String? {
        for (kind, name) in [(SOCK_DGRAM, "datagram sockets"), (SOCK_RAW, "raw sockets")] {
            let type = Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            if let number = try? systemCall("socket", { Glibc.socket(family, type, transport) }) {
                _ = OwnedDescriptor(owning: number)
                return name
            }
        }
        return nil
    }
}

/// Small files and links of `/proc` and `/etc`.
enum SystemFile {
    /// A file's text; nil when it cannot be read.
    static func text(_ path: String) -> String? {
        guard let bytes = try? FileContents.read(path, limit: 65_536) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where a link leads; nil when it cannot be read.
    static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 1_024)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether this process has a capability, by its number (capabilities(7)).
    static func hasCapability(_ number: Int) -> Bool {
        guard let line = text("/proc/self/status")?.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let digits = line.split(whereSeparator: { $0 == "\t" || $0 == " " }).last,
            let set = UInt64(digits, radix: 16)
        else { return false }
        return set >> UInt64(number) & 1 == 1
    }
}
