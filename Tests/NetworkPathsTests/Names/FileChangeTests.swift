// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import LinuxIO
@testable import NetworkPaths

/// Names are asked for again when the contents of the resolver's files change (linux-paths 8), by a clock that the test moves.
@Suite("Names after a change of the resolver's files")
struct FileChangeTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test(
        "Ten changes, whatever lies between them: each is asked for within a second",
        arguments: [100, 500, 999, 1_000, 1_001, 5_000, 30_000, 60_000, 119_000, 121_000] as [UInt64]
    )
    func successive(_ gap: UInt64) throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.answerAll()
        for round in 1...10 {
            scene.write("nameserver 192.0.2.\(round)\n")
            var waited: UInt64 = 0
            while scene.asked.last != "nameserver 192.0.2.\(round)\n", waited < 1_000 {
                let step = min(10, 1_000 - waited)
                scene.advance(by: step * Self.millisecond)
                waited += step
            }
            #expect(scene.asked.last == "nameserver 192.0.2.\(round)\n")
            scene.answerAll()
            if gap > waited { scene.advance(by: (gap - waited) * Self.millisecond) }
        }
    }

    @Test("Changes at unlike gaps, none of them waited for: a second after the last one its contents are in use")
    func burst() throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.answerAll()
        for (round, gap) in ([5, 100, 300, 1_000, 250, 2_000, 700, 1] as [UInt64]).enumerated() {
            scene.write("nameserver 192.0.2.\(round)\n")
            scene.answerAll()
            scene.advance(by: gap * Self.millisecond)
        }
        scene.write("nameserver 192.0.2.99\n")
        scene.advance(by: 1_000 * Self.millisecond)
        #expect(scene.asked.last == "nameserver 192.0.2.99\n")
    }

    @Test(
        "A hundred writes in a second cost a name two queries, whether or not the first one was answered",
        arguments: [true, false]
    )
    func hundredWrites(_ isAnswered: Bool) throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.answerAll()
        let before = scene.asked.count
        for round in 0..<100 {
            scene.write("nameserver 192.0.2.\(round)\n")
            if isAnswered { scene.answerAll() }
            scene.advance(by: 10 * Self.millisecond)
        }
        scene.advance(by: 10_000 * Self.millisecond)
        #expect(scene.asked.dropFirst(before) == ["nameserver 192.0.2.0\n", "nameserver 192.0.2.99\n"])
    }

    @Test("The same contents, written in place or renamed over, cost no query and delay none")
    func sameContents() throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.write("nameserver 192.0.2.1\n")
        scene.answerAll()
        scene.advance(by: 2_000 * Self.millisecond)
        let before = scene.asked.count
        for _ in 0..<20 {
            scene.write("nameserver 192.0.2.1\n")
            scene.advance(by: 100 * Self.millisecond)
        }
        #expect(scene.asked.count == before)
        #expect(scene.reloads == 1)
        scene.write("nameserver 192.0.2.2\n")
        #expect(scene.asked.count == before + 1)
        // There and back within the second: nothing is new at its end.
        scene.answerAll()
        scene.write("nameserver 192.0.2.3\n")
        scene.write("nameserver 192.0.2.2\n")
        scene.advance(by: 5_000 * Self.millisecond)
        #expect(scene.asked.count == before + 1)
    }

    @Test("A file that comes or goes is a change; an empty one differs from none")
    func presence() throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.remove()
        #expect(scene.reloads == 1)
        scene.advance(by: 1_000 * Self.millisecond)
        scene.write("")
        #expect(scene.reloads == 2)
    }

    @Test("A change while a query is in flight: its answer does not hide the newer files")
    func inFlight() throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.write("nameserver 192.0.2.1\n")
        scene.advance(by: 300 * Self.millisecond)
        scene.write("nameserver 192.0.2.2\n")
        scene.advance(by: 300 * Self.millisecond)
        // The old server's answer comes before the second is over.
        scene.answerAll()
        scene.advance(by: 400 * Self.millisecond)
        #expect(scene.asked.last == "nameserver 192.0.2.2\n")
    }

    @Test("R58: changes of the path back off, and changes of the files neither wait for that nor add to it")
    func pathsBackOff() throws {
        let scene = try NameTableScene()
        defer { scene.close() }
        scene.answerAll()
        var pathQueries = 0
        // Two minutes: the path changes ten times a second, the file every thirty seconds.
        for tenth in 0..<1_200 {
            if tenth % 300 == 299 {
                let text = "nameserver 192.0.2.\(tenth / 300)\n"
                scene.write(text)
                #expect(scene.asked.last == text)
                scene.answerAll()
            }
            let before = scene.asked.count
            scene.changePath()
            scene.advance(by: 100 * Self.millisecond)
            pathQueries += scene.asked.count - before
            scene.answerAll()
        }
        #expect((6...8).contains(pathQueries))
    }

    @Test("A thousand names: each is asked for once for a change, and those of one name together")
    func thousandNames() throws {
        let scene = try NameTableScene(names: (0..<1_000).map { "n\($0 / 2).test" })
        defer { scene.close() }
        scene.answerAll()
        let before = scene.asked.count
        scene.write("nameserver 192.0.2.1\n")
        #expect(scene.asked.count - before == 500)
    }
}
