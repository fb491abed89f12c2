// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)))
struct FileWatcherTests {
    /// A watcher on a loop of its own; what it tells is awaited.
    private final class Bench: Sendable {
        let folder: TemporaryFolder
        let clock = ManualClock()
        let loop: EventLoop
        let heard = EventPipe<Set<String>>()
        let watcher: LoopConfined<FileWatcher?>

        init(_ folder: TemporaryFolder, _ names: String...) throws {
            self.folder = folder
            let loop = try EventLoop(name: "watcher-test", clock: clock)
            self.loop = loop
            let paths = names.map(folder.path(_:))
            let heard = heard
            watcher = LoopConfined(loop) {
                try? FileWatcher(loop: loop, paths: paths) { paths in
                    heard.send(Set(paths.map { String($0.dropFirst(folder.path.count + 1)) }))
                }
            }
        }

        deinit {
            _ = watcher.run { $0?.close() }
            watcher.drop()
            loop.close()
        }

        /// Does something that must be told, with nothing else before it.
        func expect(
            _ names: String...,
            after action: () throws -> Void,
            at location: SourceLocation = #_sourceLocation
        ) async throws {
            try action()
            let told = await heard.next()
            #expect(told == Set(names), sourceLocation: location)
            await settle()
        }

        /// Does something that must not be told.
        func expectNothing(after action: () throws -> Void, at location: SourceLocation = #_sourceLocation) async throws
        {
            try action()
            await settle()
            heard.send(["nothing"])
            let told = await heard.next()
            #expect(told == ["nothing"], sourceLocation: location)
        }

        /// Takes what more the same action has caused: an action of several system calls may be told in two parts.
        func settle() async {
            // The kernel has queued the events of what was done before; one turn reads them, the next is after that.
            _ = loop.executeAndWait {}
            _ = loop.executeAndWait {}
            heard.send(["settled"])
            while let told = await heard.next(), told != ["settled"] {}
        }
    }

    @Test(
        "a folder: entries appear, change, are replaced and disappear; a file counts when it is written"
    )
    func folder() async throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("sub")
        try folder.write("1", to: "sub/a")
        let bench = try Bench(folder, "sub")
        try await bench.expect("sub") { try folder.write("2", to: "sub/a") }
        try await bench.expect("sub") { try folder.write("1", to: "sub/b") }
        try await bench.expect("sub") { try folder.replace("sub/b", with: "2") }
        try await bench.expect("sub") { try folder.remove("sub/a") }
        try await bench.expectNothing { try folder.write("1", to: "c") }
        try await bench.expect("sub") { try folder.remove("sub") }
        try await bench.expect("sub") { try folder.makeFolder("sub") }
        try await bench.expect("sub") { try folder.write("1", to: "sub/a") }
    }

    @Test("renamed over, again and again, as editors and resolvconf do")
    func renameOver() async throws {
        let folder = try TemporaryFolder()
        try folder.write("1", to: "a")
        let bench = try Bench(folder, "a")
        for round in 0..<5 {
            try await bench.expect("a") { try folder.replace("a", with: "\(round)") }
        }
        // The new file has its own watch.
        try await bench.expect("a") { try folder.write("in place", to: "a") }
    }

    @Test("written in place: reported when it is closed")
    func inPlace() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("1", to: "a")
        let bench = try Bench(folder, "a")
        let file = OwnedDescriptor(owning: try systemCall("open") { unsafe open(path, O_WRONLY | O_TRUNC) })
        try await bench.expectNothing { _ = try systemCall("write") { unsafe write(file.number, "22", 2) } }
        try await bench.expect("a") {
            // Something else in its place, since its owner closes it once more.
            let other = try OwnedDescriptor.eventCounter()
            try systemCall("dup2") { dup2(other.number, file.number) }
        }
    }

    @Test("written and never closed: reported after a while")
    func neverClosed() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("1", to: "a")
        let bench = try Bench(folder, "a")
        let file = OwnedDescriptor(owning: try systemCall("open") { unsafe open(path, O_WRONLY) })
        try await bench.expectNothing { _ = try systemCall("write") { unsafe write(file.number, "22", 2) } }
        try await bench.expect("a") {
            bench.clock.advance(by: 600_000_000)
            bench.loop.execute {}
        }
    }

    @Test("missing at the start, created, removed, created again")
    func comesAndGoes() async throws {
        let folder = try TemporaryFolder()
        let bench = try Bench(folder, "a")
        for _ in 0..<3 {
            try await bench.expect("a") { try folder.write("1", to: "a") }
            try await bench.expect("a") { try folder.write("2", to: "a") }
            try await bench.expect("a") { try folder.remove("a") }
        }
    }

    @Test("a folder that is missing, made, removed and made again")
    func missingFolder() async throws {
        let folder = try TemporaryFolder()
        let bench = try Bench(folder, "x/y/a")
        for _ in 0..<3 {
            try await bench.expectNothing { try folder.makeFolder("x") }
            try await bench.expectNothing { try folder.makeFolder("x/y") }
            try await bench.expect("x/y/a") { try folder.write("1", to: "x/y/a") }
            try await bench.expect("x/y/a") { try folder.replace("x/y/a", with: "2") }
            try await bench.expect("x/y/a") { try folder.remove("x") }
        }
        // All at once.
        try folder.makeFolder("z/y")
        try folder.write("1", to: "z/y/a")
        try await bench.expect("x/y/a") {
            try systemCall("rename") { unsafe rename(folder.path("z"), folder.path("x")) }
        }
    }

    @Test("folders that appear and disappear during the walk: the last state is reported")
    func groundTakenAway() async throws {
        let folder = try TemporaryFolder()
        let bench = try Bench(folder, "x/y/a")
        for _ in 0..<200 {
            try folder.makeFolder("x/y")
            try folder.write("1", to: "x/y/a")
            try folder.remove("x")
        }
        await bench.settle()
        try folder.makeFolder("x/y")
        await bench.settle()
        try await bench.expect("x/y/a") { try folder.write("1", to: "x/y/a") }
    }

    @Test("a symbolic link: the target renamed over, written in place, the link pointed elsewhere")
    func symbolicLink() async throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("run")
        try folder.makeFolder("etc")
        try folder.write("1", to: "run/stub")
        try folder.write("1", to: "run/other")
        try folder.link("etc/resolv.conf", to: "../run/stub")
        let bench = try Bench(folder, "etc/resolv.conf")
        try await bench.expect("etc/resolv.conf") { try folder.replace("run/stub", with: "2") }
        try await bench.expect("etc/resolv.conf") { try folder.write("3", to: "run/stub") }
        try await bench.expectNothing { try folder.write("2", to: "run/other") }
        try await bench.expect("etc/resolv.conf") { try folder.link("etc/resolv.conf", to: folder.path("run/other")) }
        try await bench.expect("etc/resolv.conf") { try folder.write("3", to: "run/other") }
        try await bench.expectNothing { try folder.write("4", to: "run/stub") }
        // A link to what is not there yet, and back to a plain file.
        try await bench.expect("etc/resolv.conf") { try folder.link("etc/resolv.conf", to: "../later/file") }
        try folder.makeFolder("later")
        try await bench.expect("etc/resolv.conf") { try folder.write("1", to: "later/file") }
        try await bench.expect("etc/resolv.conf") { try folder.replace("etc/resolv.conf", with: "plain") }
    }

    @Test("a link on the way, as Kubernetes has it: ..data pointed to the next folder")
    func linkOnTheWay() async throws {
        let folder = try TemporaryFolder()
        for version in ["v1", "v2"] {
            try folder.makeFolder(version)
            try folder.write(version, to: "\(version)/config")
        }
        try folder.link("..data", to: "v1")
        try folder.link("config", to: "..data/config")
        let bench = try Bench(folder, "config")
        try await bench.expect("config") { try folder.link("..data", to: "v2") }
        try await bench.expect("config") { try folder.write("3", to: "v2/config") }
        try await bench.expectNothing { try folder.write("3", to: "v1/config") }
    }

    @Test("a cycle of links counts as a missing file")
    func circle() async throws {
        let folder = try TemporaryFolder()
        try folder.link("a", to: "b")
        try folder.link("b", to: "a")
        let bench = try Bench(folder, "a")
        try await bench.expect("a") { try folder.replace("b", with: "1") }
        try await bench.expect("a") { try folder.write("2", to: "b") }
    }

    @Test("a bind-mounted file changed from outside: only the file's own watch reports it")
    func bindMount() async throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("outside")
        try folder.write("1", to: "outside/file")
        // A second name of the same file stands for the mount: the folder it is watched in sees nothing.
        try systemCall("link") { unsafe link(folder.path("outside/file"), folder.path("inside")) }
        let bench = try Bench(folder, "inside")
        try await bench.expect("inside") { try folder.write("2", to: "outside/file") }
    }

    @Test("permissions count, neighbours do not, and several files of one burst are reported once")
    func burst() async throws {
        let folder = try TemporaryFolder()
        try folder.write("1", to: "a")
        try folder.write("1", to: "b")
        let bench = try Bench(folder, "a", "b", "a")
        try await bench.expect("a") { try systemCall("chmod") { unsafe chmod(folder.path("a"), 0o600) } }
        try await bench.expectNothing {
            try folder.write("1", to: "neighbour")
            try folder.replace("neighbour", with: "2")
            try folder.remove("neighbour")
        }
        // While the loop is busy all of it queues up.
        let busy = Semaphore()
        let hold = Semaphore()
        bench.loop.execute {
            busy.post()
            hold.wait()
        }
        busy.wait()
        for round in 0..<20 {
            try folder.write("\(round)", to: "a")
            try folder.replace("b", with: "\(round)")
        }
        hold.post()
        #expect(await bench.heard.next() == ["a", "b"])
        try await bench.expectNothing {}
    }

    @Test("an overflow of the queue is a change of everything")
    func overflow() async throws {
        let limit = try FileContents.read("/proc/sys/fs/inotify/max_queued_events", limit: 32)
        let count = Int(String(decoding: limit.prefix { $0 != 10 }, as: UTF8.self)) ?? 16_384
        guard count <= 100_000 else { return }
        let folder = try TemporaryFolder()
        try folder.write("1", to: "a")
        let bench = try Bench(folder, "a", "b")
        let busy = Semaphore()
        let hold = Semaphore()
        bench.loop.execute {
            busy.post()
            hold.wait()
        }
        busy.wait()
        // Two names, or the kernel folds equal events into one.
        for round in 0...(count / 2) {
            let name = folder.path(round % 2 == 0 ? "x" : "y")
            close(unsafe open(name, O_CREAT | O_WRONLY, 0o600))
            unsafe unlink(name)
        }
        hold.post()
        #expect(await bench.heard.next() == ["a", "b"])
        try await bench.expect("b") { try folder.write("1", to: "b") }
    }

    @Test("after close nothing is reported, also from inside the callback")
    func closing() async throws {
        let folder = try TemporaryFolder()
        try folder.write("1", to: "a")
        let bench = try Bench(folder, "a")
        _ = bench.watcher.run { watcher in
            watcher?.close()
            watcher?.close()
        }
        try await bench.expectNothing { try folder.write("2", to: "a") }
    }

    @Test("paths that cannot be watched are in failures; a missing file is not a failure")
    func failures() async throws {
        let folder = try TemporaryFolder()
        let bench = try Bench(folder, "a", "no/where")
        #expect(bench.watcher.run { $0?.failures.count } == 0)
    }
}
