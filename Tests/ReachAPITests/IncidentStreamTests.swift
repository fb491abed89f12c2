// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import Monitoring
@testable import Probing
@testable import ReachAPI

@Suite("Incidents in filtered streams")
struct IncidentStreamTests {
    private let fixture: Fixture

    /// Targets that one host will refuse, in two groups; one has a tag.
    init() throws {
        fixture = Fixture(hasProbes: true)
        fixture.registry.beginIncidents()
        fixture.tellNetwork(.up())
        var mail = try TargetSettings.probed("mail", group: "mail")
        mail.tags = ["team": "x"]
        fixture.registry.apply(targets: [try .probed("web", group: "web"), try .probed("shop", group: "web"), mail])
        for id in ["web", "shop", "mail"] {
            fixture.emit(id, .up())
            fixture.record(id, .success)
        }
    }

    private func refuse(_ id: String) {
        fixture.record(
            id,
            ProbeResult(
                outcome: .failure,
                reason: .connectRefused,
                detail: "connect: Connection refused",
                duration: .zero,
                address: IPAddress("198.51.100.10")
            )
        )
    }

    private func incidents(_ stream: any StreamSource) throws -> [String] {
        try stream.drain().filter { $0.type == "incident" }.compactMap { $0.data?["action"]?.string }
    }

    @Test("an event is included from the first target on that the filter matches, also where it names none")
    func live() throws {
        let filters = [
            "", "?group=web", "?group=mail", "?tag=team:x", "?target=mail", "?group=none", "?target=web&group=mail",
        ]
        let streams = try filters.map { try fixture.stream($0) }
        func all() throws -> [[String]] { try streams.map(incidents) }
        refuse("web")
        #expect(try all() == [["opened"], ["opened"], [], [], [], [], []])
        refuse("shop")
        #expect(try all() == [["updated"], ["updated"], [], [], [], [], []])
        refuse("mail")
        let joined = [["updated"], ["updated"], ["updated"], ["updated"], ["updated"], [], []]
        #expect(try all() == joined)
        let id = try #require(fixture.json("/incidents")["incidents"]?.array?.first?["id"]?.string)
        fixture.send(
            "PATCH",
            "/incidents/\(id)",
            #"{"acknowledged_by": "anna"}"#,
            type: "application/merge-patch+json"
        )
        #expect(try all() == joined.map { $0.map { _ in "edited" } })
        for id in ["mail", "web", "shop"] { fixture.record(id, .success) }
        #expect(try all().map(\.last) == joined.map { $0.isEmpty ? nil : "closed" })
    }

    @Test("a stream that begins later has the events of incidents with such a target; a requested type is filtered too")
    func replay() throws {
        let start = "since=\(fixture.registry.position)"
        for id in ["web", "shop", "mail"] { refuse(id) }
        for filter in ["group=mail", "group=web", "tag=team:x", "event=incident&target=mail"] {
            let stream = try fixture.stream("?\(start)&\(filter)")
            #expect(try incidents(stream) == ["opened", "updated", "updated"], "\(filter)")
        }
        #expect(try incidents(fixture.stream("?\(start)&event=incident&group=none")).isEmpty)
        #expect(try incidents(fixture.stream("?\(start)&event=incident")).count == 3)
    }

    @Test("an event from a disk is filtered by the incident's targets, or by those that it names")
    func stored() throws {
        for id in ["web", "mail"] { refuse(id) }
        let events = fixture.registry.recordedEvents(after: 0, limit: 100).events.filter { $0.type == .incident }
            .map { RecordedEvent(sequence: $0.sequence, at: $0.at, type: .incident, data: $0.data) }
        try #require(events.count == 2 && events[0].incident == nil)
        func included(_ body: (inout TargetFilter) -> Void, _ registry: Registry?) -> [Bool] {
            var query = EventQuery()
            body(&query.filter)
            let filter = IncidentFilter(query.filter, registry: registry)
            return events.map(filter.includes)
        }
        let mail: (inout TargetFilter) -> Void = { $0.groups = ["mail"] }
        #expect(included(mail, fixture.registry) == [true, true])
        #expect(included(mail, nil) == [false, true])
        #expect(included({ $0.tags = [TagFilter(name: "team", value: "x")] }, fixture.registry) == [true, true])
        #expect(included({ $0.ids = ["none"] }, fixture.registry) == [false, false])
        #expect(included({ _ in }, nil) == [true, true])
        // An incident that is not kept.
        fixture.registry.change { $0.incidents = IncidentBook() }
        #expect(included(mail, fixture.registry) == [false, true])
        let damaged = RecordedEvent(sequence: 9, at: events[0].at, type: .incident, data: Array("{".utf8))
        #expect(!IncidentFilter(TargetFilter(ids: ["web"]), registry: nil).includes(damaged))
    }

    @Test("targets that joined while a stream lost events are found in the incident")
    func gap() throws {
        var query = EventQuery()
        query.filter.groups = ["mail"]
        let filter = IncidentFilter(query.filter, registry: fixture.registry)
        refuse("web")
        func last() -> RecordedEvent? {
            fixture.registry.recordedEvents(after: 0, limit: 100).events.last { $0.type == .incident }
        }
        #expect(try !filter.includes(#require(last())))
        // The event of this one is not seen.
        refuse("mail")
        refuse("shop")
        #expect(try filter.includes(#require(last())))
    }
}
