// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite(
    "The log of uplinks of a real service",
    .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"),
    .timeLimit(.minutes(15))
)
struct UplinkTests {
    /// Reads a resource until it contains all words, and returns it.
    private static func read(_ path: String, _ bed: Testbed, until words: [String]) throws -> String {
        while true {
            let text = try HTTPClient.get(path, port: 7532, in: bed.namespace).text
            if words.allSatisfy({ text.contains($0) }) { return text }
        }
    }

    @Test("A cut cable is an outage with its cause, is resumed by the next run, and ends with the repair")
    func cable() async throws {
        try await Testbed.with { bed in
            try bed.base()
            try bed.p("addr add 192.0.2.1/24 dev p0")
            let folder = try TemporaryFolder()
            let file = try folder.write(
                "listen: 127.0.0.1:7532\nhistory: {path: \(folder.path(of: "log.db"))}\n",
                to: "a.yaml"
            )
            let environment = ["REACHD_HISTORY_ENABLED": "true"]
            func start() throws -> ChildProcess {
                let process = try Reachd.start(
                    ["serve", "--config", file],
                    environment: environment,
                    in: bed.namespace
                )
                while let line = process.readLine(), !line.contains("watching") {}
                return process
            }
            let first = try start()
            let working = [#""id":"eth0-192.0.2.1""#, #""state":"in_use""#, #""gateway_latency":"#]
            _ = try Self.read("/uplinks", bed, until: working)
            try bed.p("link set p0 down")
            let cut = try Self.read("/uplinks", bed, until: [#""state":"lost""#, #""cause":"no_carrier""#])
            _ = try Self.read("/targets/gateway-192.0.2.1", bed, until: [#""state":"unreachable""#])
            let from = cut.split(separator: #""outage":{"from":""#).last?.prefix(24) ?? "none"
            first.kill(SIGTERM)
            #expect(first.wait() == 0)
            let second = try start()
            let resumed = try Self.read("/uplinks", bed, until: [#""state":"lost""#])
            #expect(resumed.contains(#""outage":{"from":"\#(from)","cause":"no_carrier""#), "\(resumed)")
            _ = try Self.read("/targets/gateway-192.0.2.1", bed, until: [#""state":"unreachable""#])
            try bed.p("link set p0 up")
            _ = try Self.read("/uplinks", bed, until: [#""state":"in_use""#, #""end":"restored""#])
            _ = try Self.read("/targets/gateway-192.0.2.1", bed, until: [#""state":"up""#])
            let csv = try Self.read("/uplinks?format=csv", bed, until: ["restored\r\n"])
            #expect(csv.contains("eth0-192.0.2.1,eth0,192.0.2.1,\(from),"))
            second.kill(SIGTERM)
            #expect(second.wait() == 0)
        }
    }
}
