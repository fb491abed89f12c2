// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import ReachAPI

/// Whether echo requests can be sent, which probes of the kind `icmp` and the look at gateways need.
enum EchoExamination {
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
        let shown =
            "ping_group_range is \(range ?? "not readable"), CAP_NET_RAW is "
            + (SystemFile.hasCapability(rawCapability) ? "there" : "not there")
        if refused.isEmpty {
            return DiagnosisListing.Check("icmp", .ok, "\(ways.joined(separator: ", ")); \(shown)")
        }
        let words = "no echo requests by \(refused.joined(separator: ", ")): \(shown)"
        let advice =
            ways.isEmpty
            ? "sysctl -w net.ipv4.ping_group_range='0 2147483647' (Docker: --sysctl), or grant CAP_NET_RAW; other probes need neither"
            : "this machine may have no \(refused.joined(separator: ", "))"
        return DiagnosisListing.Check("icmp", .warn, words, advice: advice)
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
