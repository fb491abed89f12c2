// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension Testbed {
    /// Why firewall rules cannot be made here (nftables, and a kernel with nf_tables), or nil when they can.
    package static let firewallObstacle: String? = {
        do {
            let probe = try Testbed()
            defer { probe.remove() }
            try probe.reject("meta l4proto tcp reject")
            return nil
        } catch {
            return "needs nft and a kernel with nf_tables: \(error)"
        }
    }()

    /// Puts a rule into the output of the namespace that is looked at, in the words of nft(8).
    package func reject(_ rule: String) throws {
        try namespace.exec("nft add table inet own")
        try namespace.exec("nft add chain inet own output { type filter hook output priority 0 ; }")
        try namespace.exec("nft add rule inet own output \(rule)")
    }
}
