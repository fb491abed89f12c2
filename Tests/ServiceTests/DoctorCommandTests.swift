// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite("reachd doctor", .timeLimit(.minutes(15)))
struct DoctorCommandTests {
    private func line(_ result: Reachd.Result, _ id: String) -> String {
        result.lines.first { $0.split(separator: " ").dropFirst().first.map(String.init) == id } ?? ""
    }

    private func free(_ folder: TemporaryFolder) throws -> [String: String] {
        ["REACHD_LISTEN": "127.0.0.1:\(try FreePort.next())", "HOME": folder.path]
    }

    @Test("working features are ok, and nothing is created or changed")
    func works() throws {
        let folder = try TemporaryFolder()
        let environment = try free(folder).merging(["REACHD_HISTORY_ENABLED": "true", "REACHD_STATE_FILE": ""]) { $1 }
        let result = try Reachd.run(["doctor"], environment: environment)
        #expect(result.status == 0, "\(result.output)")
        for id in ["configuration", "netlink", "descriptors", "event_log", "state_file", "listen"] {
            #expect(line(result, id).hasPrefix("ok "), "\(result.output)")
        }
        #expect(try Command.run(["ls", "-A", folder.path]).isEmpty)
        let narrow = try Reachd.run(["doctor"], environment: environment.merging(["COLUMNS": "70"]) { $1 }).lines
        let indent = String(repeating: " ", count: "ok    network_namespace  ".count)
        #expect(narrow.count > result.lines.count && narrow.contains { $0.hasPrefix(indent) }, "\(narrow)")
        // A path may be wider.
        #expect(narrow.allSatisfy { $0.count <= 70 || !$0.dropFirst(indent.count).contains(" ") }, "\(narrow)")
        let json = try Reachd.run(["doctor", "--json"], environment: environment)
        #expect(json.output.hasPrefix(#"{"outcome":""#))
        #expect(json.output.contains(#"{"id":"netlink","outcome":"ok","detail":""#))
    }

    @Test(
        "in a namespace without a way out: its own network, no path, no name server",
        .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)")
    )
    func namespace() async throws {
        try await Testbed.with { bed in
            let folder = try TemporaryFolder()
            let before = try Reachd.run(["doctor"], environment: free(folder), in: bed.namespace)
            // Outside of containers only root can look at process 1.
            let seen = line(before, "network_namespace")
            let isBlind = unsafe access("/proc/1/ns/net", F_OK) != 0 && seen.contains("not in a container")
            #expect(seen.contains(isBlind ? "only root can see" : "its own network namespace"), "\(seen)")
            #expect(line(before, "default_path").hasPrefix("warn  default_path"))
            #expect(line(before, "default_path").contains("no default path: IPv4: no route"))
            // Without lo not even 127.0.0.1 is there to listen on; binding works all the same.
            try bed.base()
            let after = try Reachd.run(["doctor"], environment: free(folder), in: bed.namespace)
            #expect(
                line(after, "default_path").contains(
                    "IPv4 by eth0 via 192.0.2.1, IPv6 by eth0 via 2001:db8:1::1"
                )
            )
            // Only the groups of the range may send echo requests without the capability. Root without a bounding set has none, and
            // group 0 is there in every user namespace.
            func echo() throws -> String {
                let words = ["ip", "netns", "exec", bed.namespace.name, "setpriv"]
                let process = try Reachd.start(
                    ["doctor"],
                    environment: free(folder),
                    wrapper: words + ["--bounding-set", "-all", "--inh-caps", "-all"]
                )
                let output = process.readAll()
                return line(.init(status: process.wait(), output: output), "icmp")
            }
            let refused = try echo()
            #expect(refused.hasPrefix("warn  icmp"), "\(refused)")
            #expect(refused.contains("CAP_NET_RAW is not granted"))
            try bed.namespace.sysctl("net.ipv4.ping_group_range", "0 0")
            let allowed = try echo()
            #expect(allowed.hasPrefix("ok    icmp"), "\(allowed)")
            #expect(allowed.contains("datagram sockets"))
        }
    }

    @Test("failed checks have a hint, and the exit status is 1")
    func fails() throws {
        let folder = try TemporaryFolder()
        let taken = try SilentServer()
        let listen = try Reachd.run(
            ["doctor"],
            environment: ["REACHD_LISTEN": "127.0.0.1:\(taken.port)", "HOME": folder.path]
        )
        #expect(listen.status == 1)
        #expect(line(listen, "listen").hasPrefix("fail  listen"))
        #expect(listen.output.contains("→ stop it (see ss -ltnp), or choose another address with listen or --listen"))
        let service = try RunningService()
        let ours = try Reachd.run(["doctor"], environment: ["REACHD_LISTEN": "127.0.0.1:\(service.port)"])
        #expect(line(ours, "listen").contains("reachd already listens on 127.0.0.1:\(service.port)"))
        #expect(
            line(ours, "listen").hasPrefix("warn") && line(ours, "listen").contains("with the configuration file /")
        )
        let faulty = try folder.write("lisen: 1", to: "a.yaml")
        let configuration = try Reachd.run(["doctor", "--config", faulty], environment: free(folder))
        #expect(configuration.status == 1)
        #expect(line(configuration, "configuration").contains("1 error, the first: \(faulty):1:1"))
        let state = try folder.write(
            "history: {path: /nowhere/log.db}\nstate_file: /nowhere/state.json",
            to: "b.yaml"
        )
        let missing = try Reachd.run(
            ["doctor", "--config", state],
            environment: free(folder).merging(["REACHD_HISTORY_ENABLED": "true", "REACHD_STATE_FILE": ""]) { $1 }
        )
        #expect(missing.status == 1)
        #expect(line(missing, "event_log").contains("/nowhere/log.db is not writable: No such file or directory"))
        #expect(line(missing, "state_file").hasPrefix("fail"))
    }

    @Test(
        "the hard limit of descriptors counts: how many subscribers and probes it allows, of those that are configured",
        arguments: [
            ("1024:20000", "ok", "room for 1000 subscribers and 4096 probes at a time"),
            (
                "1000:1000", "warn",
                "room for 436 subscribers of 1000 (events.max_streams) and 145 probes of 4096 (probing.max_concurrent)"
            ),
            ("100:100", "fail", "only 100"),
        ]
    )
    func descriptors(limit: String, word: String, detail: String) throws {
        let folder = try TemporaryFolder()
        let process = try Reachd.start(
            ["doctor"],
            environment: free(folder),
            wrapper: ["prlimit", "--nofile=\(limit)"]
        )
        let output = process.readAll()
        let status = process.wait()
        let shown = line(.init(status: status, output: output), "descriptors")
        #expect(shown.hasPrefix(word) && shown.contains(detail), "\(output)")
        #expect((status == 1) == (word == "fail"))
    }
}
