// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Fleet

@Suite("What incidents are told of a fleet's verdicts")
struct VerdictObservationTests {
    private static let refusal = IncidentCause(.refusal, "198.51.100.7")

    private static func fault(
        _ cause: IncidentCause,
        _ distance: FaultDistance = .target,
        code: String = "connect_refused"
    )
        -> IncidentFault
    {
        IncidentFault(cause, distance, code: code, detail: "It refuses connections.")
    }

    /// A vote that has a fault.
    private static func row(
        _ scene: inout FleetScene,
        _ target: String,
        _ fault: IncidentFault,
        from location: String,
        _ state: TargetState = .down,
        _ cause: StateCause = .target
    ) -> InboxRow {
        var content = VoteContent(
            state: state,
            cause: cause,
            reason: fault.code,
            detail: fault.detail,
            since: scene.now
        )
        content.fault = fault
        return scene.row(.vote(target: target, content), from: location)
    }

    private static func cause(_ changes: RoundChanges) -> IncidentCause? {
        if case .failing(let cause, _, _) = changes.observations.last?.condition { cause } else { nil }
    }

    @Test("The cause that most of the deciding locations report is the verdict's")
    func majority() throws {
        var scene = try FleetScene(locations: ["a", "b", "c"])
        scene.declare("t")
        let hop = IncidentCause(.hop, "192.0.2.9")
        let rows = [
            Self.row(&scene, "t", Self.fault(hop, .route), from: "a"),
            Self.row(&scene, "t", Self.fault(Self.refusal), from: "b"),
            Self.row(&scene, "t", Self.fault(Self.refusal), from: "c"),
        ]
        #expect(Self.cause(scene.decide(rows)) == Self.refusal)
    }

    @Test("The network of a node is that node's; a host is the same for all")
    func origin() throws {
        var scene = try FleetScene()
        scene.declare("t")
        let link = Self.fault(IncidentCause(.link, "eth0"), .path, code: "no_carrier")
        let cut = Self.row(&scene, "t", link, from: "berlin", .unreachable, .localNetwork)
        #expect(Self.cause(scene.decide([cut])) == IncidentCause(.link, "eth0", origin: "berlin-1"))
        let refused = Self.row(&scene, "t", Self.fault(Self.refusal), from: "berlin")
        #expect(Self.cause(scene.decide([refused])) == Self.refusal)
    }

    @Test("Without a fault the target is its own cause; a parent that cannot be used is that of its children")
    func others() throws {
        var scene = try FleetScene()
        scene.declare("parent")
        scene.declare("child", dependsOn: ["parent"])
        #expect(Self.cause(scene.decide([scene.row("parent", .down)])) == IncidentCause(.target, "parent"))
        let changes = scene.decide([scene.row("child", .down)])
        #expect(Self.cause(changes) == IncidentCause(.parent, "parent"))
    }

    @Test("A target that is up, paused, removed or of unknown state begins no incident")
    func noFailure() throws {
        var scene = try FleetScene()
        scene.declare("t")
        #expect(scene.decide([scene.row("t", .up)]).observations.map(\.condition) == [.up])
        #expect(scene.decide(reevaluating: ["gone"]).observations.map(\.condition) == [.leaving(.removed)])
        scene.declare("new")
        #expect(scene.decide(reevaluating: ["new"]).observations.map(\.condition) == [.unjudged])
    }

    @Test(
        "A stored fault reads as it was, for another reason than the vote's it counts for nothing, and a damaged one is none"
    )
    func stored() throws {
        let fault = Self.fault(Self.refusal)
        #expect(IncidentFault(stored: fault.stored) == fault)
        let text = String(decoding: fault.stored, as: UTF8.self)
        func content(_ reason: String, _ fault: String?) -> VoteContent? {
            VoteContent(state: "down", cause: "target", reason: reason, detail: nil, since: 1, fault: fault)
        }
        #expect(content("connect_refused", text)?.fault == fault)
        #expect(content("timeout", text)?.fault == nil && content("timeout", text) != nil)
        for damaged in ["", "{}", "[", #"{"kind":"refusal","subject":"x","distance":5,"reason":[]}"#, text + "\n"] {
            #expect(content("connect_refused", damaged) != nil && content("connect_refused", damaged)?.fault == nil)
        }
        // Where a fault lies is the fleet's to say.
        let foreign = IncidentFault(IncidentCause(.link, "eth0", origin: "other"), .path, code: "x", detail: "")
        #expect(IncidentFault(stored: foreign.stored)?.cause.origin == nil)
    }

    @Test("An edit on its way reads as it was")
    func edits() {
        var edit = IncidentEdit()
        #expect(StoredEdit.read(StoredEdit.text(edit)) == edit)
        edit.acknowledgedBy = "eve \"x\"\n"
        edit.mutedUntil = Timestamp(milliseconds: 1_700_000_000_123)
        edit.note = ("bob", "cable \u{0} out")
        edit.isNotePublic = true
        #expect(StoredEdit.read(StoredEdit.text(edit)) == edit)
        edit.acknowledgedBy = .some(nil)
        edit.mutedUntil = .some(nil)
        #expect(StoredEdit.read(StoredEdit.text(edit)) == edit)
        for damaged in ["", "[]x", #"{"acknowledged_by":1}"#, #"{"muted_until":-1}"#, #"{"note":{}}"#] {
            #expect(StoredEdit.read(damaged) == nil, "\(damaged)")
        }
    }
}
