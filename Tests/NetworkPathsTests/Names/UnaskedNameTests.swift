// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import NetworkPaths

/// This machine has no descriptor or memory left to ask name servers with (linux-paths 8).
@Suite("Names that cannot be asked for")
struct UnaskedNameTests {
    private static let second: UInt64 = 1_000_000_000
    private static let words = "socket: Too many open files"

    @Test(
        "A name that was never resolved stays pending and says why; it is asked for again after 5 s, and then as always"
    )
    func pending() throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        for round in 1...20 {
            #expect(scene.asked.count == round)
            scene.answerAll(.notAsked(Self.words))
            #expect(scene.resolutions == [Resolution(state: .pending, error: Self.words)])
            scene.advance(by: 5 * Self.second)
        }
        scene.answerAll()
        #expect(scene.resolutions.map(\.state) == [.complete])
        #expect(scene.resolutions.map(\.error) == [nil])
    }

    @Test("What is known stays: addresses, that there are none, and that the servers failed")
    func known() throws {
        let answers: [NameAnswer] = [NameTableScene.address, .nothing("no such name"), .failure("refused")]
        for answer in answers {
            let scene = try NameTableScene()
            defer { scene.close() }
            scene.answerAll(answer)
            let before = scene.resolutions
            scene.write("nameserver 192.0.2.1\n")
            #expect(scene.asked.count == 2)
            scene.answerAll(.notAsked(Self.words))
            #expect(scene.resolutions == before)
            scene.advance(by: 5 * Self.second)
            #expect(scene.asked.count == 3)
        }
    }
}
