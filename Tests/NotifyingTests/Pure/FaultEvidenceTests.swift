// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Probing
import Testing

@testable import Notifying

@Suite("The hosts that a reason names")
struct FaultEvidenceTests {
    private static let trace =
        #""trace":{"last_hop":{"address":"203.0.113.2","hop":3},"next_hop":{"address":"198.51.100.1","hop":4,"at":"2026-11-23T14:03:00.000Z"}}"#
    private static let offender =
        #""offender":{"address":"203.0.113.9","role":"router","icmp_type":3,"icmp_code":1,"message":"host unreachable"}"#

    /// A state event with a reason of these members.
    private static func change(_ members: String) -> StateChange? {
        let event = RecordedEvent(
            sequence: 1,
            at: Timestamp(milliseconds: 1_795_000_000_000),
            type: .state,
            target: "web",
            transition: RecordedEvent.Transition(from: .up, to: .unreachable, reason: "timeout", cause: .path),
            data: Array(
                #"{"target":"web","reason":{"code":"timeout","detail":"the path stops"\#(members)},"cause":"path"}"#
                    .utf8
            )
        )
        return StateChange(event, epoch: "e")
    }

    @Test("A message carries the broken hop and the host that reported the fault")
    func message() throws {
        let change = try #require(Self.change("," + Self.offender + "," + Self.trace))
        let message = Message(change)
        let body = String(decoding: MessageBody.render(message), as: UTF8.self)
        #expect(
            body.contains(
                #""reason":{"code":"timeout","detail":"the path stops",\#(Self.offender),\#(Self.trace)},"cause":"path""#
            ),
            "\(body)"
        )
        let template =
            "{{reason.offender.address}} {{reason.trace.last_hop.address}} {{reason.trace.next_hop.address}}."
        let text = try MessageTemplate(template, form: .text).render(message)
        #expect(String(decoding: text, as: UTF8.self) == "203.0.113.9 203.0.113.2 198.51.100.1.")
        let json = try MessageTemplate(#"{"hop": {{reason.trace.last_hop.address}}}"#, form: .json).render(message)
        #expect(String(decoding: json, as: UTF8.self) == #"{"hop": "203.0.113.2"}"#)
    }

    @Test("Nothing without evidence, and of damaged or too large parts")
    func absent() throws {
        #expect(try #require(Self.change("")).evidence == nil)
        #expect(try #require(Self.change(#","offender":"text","trace":[1]"#)).evidence == nil)
        let large = #","trace":{"last_hop":{"address":"\#(String(repeating: "1", count: 2_000))"}}"#
        #expect(try #require(Self.change(large)).evidence == nil)
        let part = try #require(Self.change(#","trace":{"last_hop":7}"#)?.evidence)
        #expect(part.lastHop == nil && part.nextHop == nil && part.offenderAddress == nil)
        #expect(FaultEvidence(reason: Array("[]".utf8)) == nil)
        let message = Message(try #require(Self.change("")))
        let json = try MessageTemplate(#"{"hop": {{reason.trace.last_hop.address}}}"#, form: .json).render(message)
        #expect(String(decoding: json, as: UTF8.self) == #"{"hop": null}"#)
    }
}
