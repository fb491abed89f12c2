// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import ReachAPI

@Suite("What to do about a target")
struct NextStepTests {
    @Test(
        "One step for each cause",
        arguments: [
            (
                "local_network", #""path":{"unsatisfied_reason":"no_carrier","interface":{"name":"eth1"}},"#,
                "Check the cable of eth1"
            ),
            (
                "local_network", #""decision":{"rule":"gateway_rejects"},"path":{"gateway":"192.0.2.1"},"#,
                "the firewall of the gateway 192.0.2.1"
            ),
            ("dns", #""host":"nas.example","#, "getent hosts nas.example"),
            ("path", #""host":"nas.example","port":443,"#, "Show the path with reachd trace nas.example:443"),
            (
                "path", #""host":"nas.example","probe":{"type":"http","url":"http://nas.example/health"},"#,
                "Show the path with reachd trace http://nas.example/health,"
            ),
            (
                "path",
                #""decision":{"rule":"mtu_black_hole"},"path":{"interface":{"name":"wg0"}},"#
                    + #""reason":{"trace":{"largest_packet_bytes":1312}},"#,
                "ip link set dev wg0 mtu 1312"
            ),
            ("parent", #""depends_on":["router"],"#, "See reachd explain router"),
            ("self", #""reason":{"code":"out_of_descriptors"},"#, NextStep.moreDescriptors),
            ("self", #""decision":{"rule":"too_late"},"#, "the machine's load"),
            ("self", "", "Run reachd doctor"),
        ]
    )
    func steps(cause: String, members: String, step: String) throws {
        let body = Array(#"{"id":"nas",\#(members)"state":"unreachable","cause":"\#(cause)"}"#.utf8)
        let advice = try #require(NextStep.text(body))
        #expect(advice.contains(step))
        let advised = String(decoding: NextStep.advised(body, .unreachable), as: UTF8.self)
        #expect(advised.hasPrefix(#"{"id":"nas","#) && advised.hasSuffix(#"","advice":"\#(advice)"}"#))
    }

    @Test("Nothing for what waits for its first result")
    func awaited() {
        for code in ["not_evaluated", "not_probed"] {
            let body = #"{"id":"nas","state":"unknown","cause":"self","reason":{"code":"\#(code)"}}"#
            #expect(NextStep.text(Array(body.utf8)) == nil)
        }
    }

    @Test("Nothing for what is up, or in maintenance")
    func nothing() {
        for state in [TargetState.up, .maintenance] {
            let body = Array(#"{"id":"nas","state":"\#(state.rawValue)"}"#.utf8)
            #expect(NextStep.text(body) == nil && NextStep.advised(body, state) == body)
        }
    }
}
