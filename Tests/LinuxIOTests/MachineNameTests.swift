// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

@Suite("The name of this machine") struct MachineNameTests {
    @Test(
        "The full name is its own, or that of /etc/hosts",
        arguments: [
            ("probe.example.org", "", "probe.example.org"),
            ("probe", "127.0.0.1 localhost\n127.0.1.1\tprobe.example.org probe # x\n", "probe.example.org"),
            ("probe", "127.0.1.1 probe probe.example.org", "probe.example.org"),
            ("probe", "127.0.1.1 probe\n# 127.0.1.1 probe.example.org probe\n", nil),
            ("probe", "127.0.1.1 prober.example.org probe", nil), ("probe", "", nil), ("a b.c", "", nil),
            ("probe.", "", nil),
        ] as [(String, String, String?)]
    )
    func full(name: String, hosts: String, wanted: String?) {
        #expect(MachineName.full(of: name, hosts: hosts) == wanted)
    }

    @Test("There is always a name") func current() {
        #expect(!MachineName.current.isEmpty)
    }
}
