// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import NetworkPaths
import Notifying
import Testing

@testable import Fleet
@testable import ReachAPI

@Suite("The fleet's bodies match openapi.yaml")
struct FleetBodyTests {
    let checker: SchemaChecker
    private static let declared = TargetSettings(
        id: "web",
        request: PathRequest(.name("web.example")),
        text: "web.example",
        group: "edge",
        tags: ["env": "prod"],
        origin: .fleet
    )

    init() throws { checker = SchemaChecker(document: try OpenAPIDocument.load()) }

    private func expectValid(_ writer: JSONWriter, _ name: String) throws {
        let schema = try #require(checker.document[["components", "schemas", name]])
        let faults = checker.faults(try JSONValue(parsing: writer.bytes), against: schema)
        #expect(faults.isEmpty, "\(String(decoding: writer.bytes, as: UTF8.self))")
    }

    private func target(
        _ standings: [VoteStanding],
        settings: TargetSettings? = nil,
        state: TargetState = .up
    ) throws -> FleetTarget {
        let placement = try Placement(watchers: 3, quorum: 2)
        return FleetTarget(
            ordinal: 7,
            id: "web",
            settings: settings,
            group: "edge",
            tags: [:],
            source: nil,
            revision: FleetRevision(epoch: "abcd", version: 3, newest: 4),
            placement: placement,
            isPartialUp: state == .down,
            state: state,
            cause: state == .up ? nil : .path,
            reason: state == .up ? nil : "partly_down",
            detail: state == .up ? nil : "Down from \"berlin\".",
            since: Fixture.started,
            pendingUntil: state == .up ? Fixture.started : nil,
            counts: VoteCounts(standings, placement: placement),
            votes: standings.enumerated().map { number, standing in
                FleetVote(
                    vote: Vote(
                        location: "l\(number)",
                        state: .down,
                        cause: .target,
                        reason: number == 0 ? .parentDown : nil,
                        since: .seconds(1)
                    ),
                    standing: standing,
                    node: number == 1 ? nil : "n",
                    url: number == 0 ? "https://n" : nil
                )
            }
        )
    }

    @Test("A target in each state, with votes of each standing, with and without a declaration that can be read")
    func targets() throws {
        let standings = [.well, .ill, .against] + VoidReason.allCases.map(VoteStanding.void)
        for state in TargetState.allCases {
            for settings in [Self.declared, nil] {
                var writer = JSONWriter()
                writer.fleetTarget(try target(standings, settings: settings, state: state))
                try expectValid(writer, "FleetTarget")
            }
        }
        var narrow = JSONWriter()
        narrow.fleetTarget(try target([]), fields: FieldSelection([.state, .quorum]))
        #expect(
            String(decoding: narrow.bytes, as: UTF8.self)
                == #"{"id":"web","state":"up","quorum":{"watchers":3,"needed":2,"well":0,"ill":0,"against":0,"void":3}}"#
        )
    }

    @Test("The reasons that only a fleet has are listed")
    func reasons() throws {
        let codes = checker.document[["components", "schemas", "FleetReasonCode", "enum"]]
        #expect(codes == .array(FleetReason.ownCases.map { .string($0.rawValue) }))
    }

    @Test(
        "The status of a receiver that this node serves for the fleet or because it is cut off, and of one that another node serves"
    )
    func receivers() throws {
        var status = NotificationStatus(name: "ops", type: "webhook")
        let own = FleetDelivery.Status(status)
        for fleet in [FleetDelivery.here(own), .cutOff(own), .elsewhere] {
            status.fleet = fleet
            var writer = JSONWriter()
            writer.notification(status)
            try expectValid(writer, "Receiver")
            var metrics = MetricsWriter(.text, reserving: 0)
            ReceiverMetrics.write([status], &metrics)
            let count = String(decoding: metrics.bytes, as: UTF8.self).ranges(of: #"scope="fleet""#).count
            #expect(count == (fleet == .elsewhere ? 0 : 7))
        }
    }

    @Test("A fleet with nodes in each state, and one without nodes")
    func overview() throws {
        for states in [[FleetNodeState.live, .draining, .departed, .lost], []] {
            let nodes = states.map { state in
                FleetOverview.Node(
                    name: "\(state)",
                    location: "berlin",
                    version: "1.2.3",
                    url: state == .live ? "https://n" : nil,
                    state: state,
                    since: .seconds(1),
                    until: .seconds(2),
                    capacity: 9,
                    targets: 3,
                    backlog: 4,
                    skew: .milliseconds(-3),
                    roundTrip: .milliseconds(2)
                )
            }
            let overview = FleetOverview(
                now: .seconds(3),
                epoch: "a1",
                sequence: 7,
                coordinator: nodes.first?.name,
                settings: FleetSettings(),
                targets: 3,
                unassigned: 1,
                isDurable: true,
                logDays: 2,
                isolated: ["paris"],
                inbox: 2,
                states: ["up": 2, "down": 1],
                nodes: nodes,
                receivers: nodes.prefix(2).map { node in
                    FleetOverview.Receiver(
                        name: "ops",
                        node: node.state == .live ? node.name : nil,
                        consumed: 5,
                        isAmbiguous: node.state == .live
                    )
                }
            )
            var writer = JSONWriter()
            writer.fleetOverview(overview)
            try expectValid(writer, "FleetOverview")
        }
    }
}
