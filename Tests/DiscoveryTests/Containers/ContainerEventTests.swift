// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Discovery

@Suite("Events of container engines")
struct ContainerEventTests {
    private func isChange(_ text: String, after begin: Int64 = 0) throws -> Bool {
        var events = ContainerEvents(after: begin)
        return try events.read(Array(text.utf8))
    }

    @Test("What may change a target is a change; health checks and commands in containers are none")
    func actions() throws {
        for action in ["create", "start", "die", "remove", "destroy", "rename", "pause", "restart", "connect"] {
            #expect(try isChange(RecordedContainers.event(action)))
        }
        for action in ["exec_create: sh -c x", "exec_died", "health_status: healthy", "attach", "top", "resize"] {
            #expect(try !isChange(RecordedContainers.event(action)))
        }
        #expect(try isChange(RecordedContainers.event("disconnect", type: "network")))
        #expect(try !isChange(RecordedContainers.event("pull", type: "image")))
    }

    @Test("Earlier events than the list are passed over")
    func earlier() throws {
        let text = RecordedContainers.event("start", time: 5_000_000_000)
        #expect(try isChange(text, after: 5_000_000_000))
        #expect(try !isChange(text, after: 5_000_000_001))
    }

    @Test("Events come in parts of any size, with and without line ends between them")
    func parts() throws {
        let text = RecordedContainers.event("exec_die").filter { $0 != "\n" } + RecordedContainers.event("die")
        var events = ContainerEvents(after: 0)
        let changes = try text.utf8.map { try events.read([$0]) }
        #expect(changes.filter(\.self).count == 1)
        #expect(changes.firstIndex(of: true) == changes.count - 2)
    }

    @Test("What is no stream of events is an error")
    func faults() throws {
        for text in ["x", "[]", #"{"Type":}"#, "{}}"] {
            let error = #expect(throws: SourceError.self) { try isChange(text) }
            #expect(error?.code == .malformed)
        }
        let long = "{\"" + String(repeating: "x", count: ContainerEvents.limit)
        let error = #expect(throws: SourceError.self) { try isChange(long) }
        #expect(error?.code == .tooLarge)
    }
}
