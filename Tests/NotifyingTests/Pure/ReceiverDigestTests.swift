// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Testing

@testable import Notifying

@Suite("Digests of receivers") struct ReceiverDigestTests {
    private func hook(_ change: (inout ReceiverSettings) -> Void = { _ in }) throws -> ReceiverSettings {
        var settings = try ReceiverSettings.hook("ops", port: 80)
        settings.filter.groups = Set((0..<40).map { "g\($0)" })
        settings.filter.tags = Dictionary(uniqueKeysWithValues: (0..<40).map { ("k\($0)", "v") })
        change(&settings)
        return settings
    }

    @Test("Equal definitions have equal digests, whatever the order of sets and dictionaries")
    func equal() throws {
        let first = try hook().digest
        #expect(first.utf8.count == 32 && first.allSatisfy(\.isHexDigit))
        let reversed = try hook {
            $0.filter.groups = []
            for number in (0..<40).reversed() { $0.filter.groups.insert("g\(number)") }
            $0.filter.tags = [:]
            for number in (0..<40).reversed() { $0.filter.tags["k\(number)"] = "v" }
        }
        #expect(reversed.digest == first)
    }

    @Test("Each part of a definition changes the digest")
    func different() throws {
        let changes: [(inout ReceiverSettings) -> Void] = [
            { _ in }, { $0.name = "other" }, { $0.filter.groups.insert("x") }, { $0.filter.tags["k1"] = "w" },
            { $0.filter.to = [.down] }, { $0.filter.from = [.down] }, { $0.filter.minimumSeverity = .critical },
            { $0.pace.groupWait = .seconds(9) }, { $0.pace.perTarget = 7 }, { $0.retry.refusals = 1 },
            { $0.change { $0.secretFile = "/key" } }, { $0.change { $0.headerFiles = ["A": "/b"] } },
            { $0.change { $0.headerFiles = ["A": "/c"] } }, { $0.change { $0.timeout = .seconds(1) } },
            { $0.change { $0.request.headers = [HTTPHeader(name: "A", value: "b")].compactMap(\.self) } },
            { $0.change { $0.request.headers = [HTTPHeader(name: "A", value: "c")].compactMap(\.self) } },
            { $0.change { $0.template = try? MessageTemplate("{{text}}", form: .text) } },
            { $0.change { $0.template = try? MessageTemplate("{{id}}", form: .text) } },
        ]
        let digests = try changes.map { try hook($0).digest }
        #expect(Set(digests).count == changes.count)
        // The ends of texts do not move into other parts.
        let descriptions = [["a", "b"], ["a,:1=b"], ["a:", "b"]].map { StableDescription.text(of: $0) }
        #expect(Set(descriptions).count == 3)
    }
}
