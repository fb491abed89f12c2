// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import NetworkPaths

/// Some name servers never answer about one of the families (RFC 8305, section 3).
@Suite("The addresses of one family while those of the other are awaited")
struct EarlyAnswerTests {
    private static let other = NameAnswer.addresses([IPAddress(ipv4: 0xC000_0202)], timeToLive: 60)

    @Test("Where no address is known they count at once; the whole answer then takes their place")
    func first() throws {
        let scene = try NameTableScene(names: ["far.test", "FAR.test", "near.test"])
        defer { scene.close() }
        scene.answerEarly()
        #expect(
            scene.resolutions.allSatisfy { $0.state == .complete && $0.addresses == [IPAddress(ipv4: 0xC000_0201)] }
        )
        #expect(scene.changes == 2, "one for each name")
        // What is in flight goes on, and only its answer says when to ask again.
        scene.advance(by: 3_000_000_000)
        #expect(scene.asked.count == 2)
        scene.answerAll()
        #expect(scene.changes == 2 && scene.asked.count == 2)
        scene.advance(by: 3_601_000_000_000)
        #expect(scene.asked.count == 4)
        scene.answerAll(Self.other)
        #expect(scene.resolutions.allSatisfy { $0.addresses == [IPAddress(ipv4: 0xC000_0202)] })
    }

    @Test("Known addresses stay until the whole answer; one that failed keeps the early ones")
    func known() throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.answerAll()
        scene.write("nameserver 192.0.2.1\n")
        scene.answerEarly(Self.other)
        #expect(scene.resolutions.map(\.addresses) == [[IPAddress(ipv4: 0xC000_0201)]])
        scene.answerAll(.nothing("no such name"))
        scene.advance(by: 1_000_000_000)
        scene.answerEarly(Self.other)
        scene.answerAll(.failure("no name server answered in time"))
        #expect(scene.resolutions.map(\.addresses) == [[IPAddress(ipv4: 0xC000_0202)]])
        #expect(scene.resolutions.map(\.state) == [.failed])
    }
}
