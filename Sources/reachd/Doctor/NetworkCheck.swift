// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import NetworkPaths
import Probing
import ReachAPI

/// The kernel's events, the default path, and the name servers.
enum NetworkCheck {
    typealias Check = DiagnosisListing.Check

    static func checks(_ engine: PathEngine) -> [Check] {
        var checks = [Check("netlink", .ok, "the kernel sends events of links, addresses, routes and rules")]
        let families: [(AddressFamily, String)] = [(.ipv4, "IPv4"), (.ipv6, "IPv6")]
        let paths = engine.evaluate(families.map { PathRequest(.defaultPath(family: $0.0)) })
        let usable = zip(families, paths).filter { $1.reachability.isReachable }.map { family, path in
            "\(family.1) by \(path.interface?.name ?? "?")" + (path.gateway.map { " via \($0)" } ?? "")
        }
        let missing = zip(families, paths).filter { !$1.reachability.isReachable }.map { family, path in
            "\(family.1): \(path.unsatisfiedReason.map { PathFormatter.reason($0.rawValue) } ?? "unknown")"
        }
        if usable.isEmpty {
            let words = "no default path: \(missing.joined(separator: ", "))"
            let advice = "see ip link, ip address and ip route; a container may have been started without a network"
            checks.append(Check("default_path", .warn, words, advice: advice))
        } else {
            let without = missing.isEmpty ? "" : "; not \(missing.joined(separator: ", "))"
            checks.append(Check("default_path", .ok, "\(usable.joined(separator: ", "))\(without)"))
        }
        checks.append(resolvers(engine.environment))
        checks.append(nameSources)
        return checks
    }

    static func failure(_ error: PathEngineError) -> Check {
        let advice: String
        switch error.code {
        case .netlinkRefused:
            advice =
                "allow AF_NETLINK sockets: RestrictAddressFamilies= of systemd, seccomp profile of the container"
        case .eventsUnavailable:
            advice = "this kernel or sandbox (gVisor) sends no events; run reachd on a Linux kernel"
        case .system:
            advice = "raise the limits of descriptors (ulimit -n) and inotify instances (fs.inotify.max_user_instances)"
        }
        return Check("netlink", .fail, error.message, advice: advice)
    }

    /// Each name server is asked for the root; whatever it answers shows that it is there.
    private static func resolvers(_ environment: NetworkEnvironment) -> Check {
        let servers = environment.resolvers
        guard !servers.isEmpty else {
            let advice = "add one to /etc/resolv.conf: nameserver 192.0.2.53"
            return Check("resolvers", .warn, "no name server is configured; names cannot be resolved", advice: advice)
        }
        let requests = servers.prefix(8).map { server in
            var settings = DNSProbeSettings(name: ".", type: .ns, minimumAnswers: 0)
            settings.expectedCodes = Set((0...15).map { DNSResponseCode(rawValue: $0) })
            return ProbeRequest(
                host: .address(server.address),
                kind: .dns(settings),
                timeout: .seconds(2),
                interface: server.interface
            )
        }
        let results: [ProbeResult]
        do throws(CheckFailure) {
            results = try SingleProbe.run(all: requests)
        } catch {
            return Check("resolvers", .fail, error.words)
        }
        let words = zip(servers, results).map { server, result in
            "\(server) "
                + (result.outcome == .failure ? "does not answer (\(result.reason?.rawValue ?? "unknown"))" : "answers")
        }
        let answering = results.filter { $0.outcome != .failure }.count
        guard answering < results.count else { return Check("resolvers", .ok, words.joined(separator: ", ")) }
        let advice =
            answering > 0
            ? "remove it from /etc/resolv.conf, or allow UDP and TCP to its port 53"
            : "names cannot be resolved; add a server that answers to /etc/resolv.conf"
        return Check("resolvers", .warn, words.joined(separator: ", "), advice: advice)
    }

    /// The line `hosts:` of `nsswitch.conf(5)`; only the hosts file and name servers are known to us.
    private static var nameSources: Check {
        let lines = SystemFile.text("/etc/nsswitch.conf")?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.drop { $0 == " " || $0 == "\t" }.hasPrefix("hosts:") }) else {
            return Check(
                "name_sources",
                .ok,
                "hosts file, then name servers (the default; nsswitch.conf has no hosts line)"
            )
        }
        let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.dropFirst().map(String.init)
        let others = words.filter {
            !["files", "dns", "resolve"].contains($0) && !$0.hasPrefix("[") && !$0.hasSuffix("]")
        }
        let known = words.filter { ["files", "dns", "resolve"].contains($0) }
        let text = "nsswitch.conf: \(words.joined(separator: " "))"
        if !known.contains("dns") && !known.contains("resolve") {
            let advice = "add dns to the hosts: line of /etc/nsswitch.conf to use name servers"
            return Check("name_sources", .warn, "\(text); name servers are not used", advice: advice)
        }
        return Check(
            "name_sources",
            .ok,
            others.isEmpty ? text : "\(text); \(others.joined(separator: ", ")) ignored"
        )
    }
}
