// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(15)))
struct DescriptorTests {
    @Test("an owned descriptor is closed when its owner goes, and born close-on-exec")
    func ownership() throws {
        var counter: OwnedDescriptor? = try OwnedDescriptor.eventCounter()
        let inode = try #require(counter.map { fcntl($0.number, F_GETFD) })
        #expect(inode & FD_CLOEXEC != 0)
        var pair: [Int32] = [0, 0]
        try systemCall("pipe") { unsafe pipe(&pair) }
        let reader = OwnedDescriptor(owning: pair[0])
        var writer: OwnedDescriptor? = OwnedDescriptor(owning: pair[1])
        #expect(writer != nil)
        writer = nil
        var byte: UInt8 = 0
        // End of file says that the last writer is closed.
        #expect(try systemCall("read") { unsafe read(reader.number, &byte, 1) } == 0)
        counter = nil
    }

    @Test("a counter is signalled and drained without blocking")
    func counter() throws {
        let counter = try OwnedDescriptor.eventCounter()
        counter.drain()
        counter.signal()
        counter.signal()
        var value: UInt64 = 0
        #expect(unsafe read(counter.number, &value, 8) == 8)
        #expect(value == 2)
        #expect(unsafe read(counter.number, &value, 8) == -1)
    }

    @Test("EINTR is repeated, EAGAIN is a value, anything else an error with the call's name and words")
    func systemCalls() throws {
        var calls = 0
        let value = try systemCall("x") { () -> Int32 in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 5
        }
        #expect(value == 5)
        #expect(calls == 3)
        #expect(throws: SystemError(code: ENOENT, operation: "x")) {
            try systemCall("x") { () -> Int in
                errno = ENOENT
                return -1
            }
        }
        #expect(SystemError(code: ENOENT, operation: "open(x)").description == "open(x): No such file or directory")
        calls = 0
        let result = try nonBlockingCall("x") { () -> Int32 in
            calls += 1
            errno = calls < 2 ? EINTR : EAGAIN
            return -1
        }
        guard case .wouldBlock = result else {
            Issue.record("EAGAIN is not an error")
            return
        }
        #expect(throws: SystemError(code: EPERM, operation: "y")) {
            try nonBlockingCall("y") { () -> Int32 in
                errno = EPERM
                return -1
            }
        }
    }

    @Test("a file is read whole, cut at the limit, and is an error when it is not there")
    func fileContents() throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "0123456789", count: 10_000)
        let path = try folder.write(text, to: "file")
        #expect(try FileContents.read(path, limit: .max) == Array(text.utf8))
        #expect(try FileContents.read(path, limit: 20_001) == Array(text.utf8.prefix(20_001)))
        #expect(try FileContents.read(path, limit: 0) == [])
        #expect(throws: SystemError(code: ENOENT, operation: "open(\(folder.path)/no)")) {
            try FileContents.read(folder.path("no"), limit: 1)
        }
        #expect(throws: SystemError(code: EISDIR, operation: "read(\(folder.path))")) {
            try FileContents.read(folder.path, limit: 1)
        }
        try systemCall("mkfifo") { unsafe mkfifo(folder.path("pipe"), 0o600) }
        #expect(try FileContents.read(folder.path("pipe"), limit: 10) == [])
    }

    @Test("a thread runs its body once, knows itself, and lets it go")
    func threads() throws {
        let gone = LinuxIO.Semaphore()
        let record = Record<String>()
        final class Probe: Sendable {
            let gone: LinuxIO.Semaphore
            init(_ gone: LinuxIO.Semaphore) { self.gone = gone }
            deinit { gone.post() }
        }
        let thread: Thread
        do {
            let probe = Probe(gone)
            thread = try Thread(name: "probe") {
                withExtendedLifetime(probe) { record.append("ran") }
            }
        }
        #expect(!thread.isCurrent)
        gone.wait()
        thread.end()
        #expect(record.all == ["ran"])
    }

    @Test("a semaphore counts")
    func semaphores() throws {
        let semaphore = LinuxIO.Semaphore()
        for _ in 0..<3 { semaphore.post() }
        for _ in 0..<3 { semaphore.wait() }
        let passed = Record<Bool>()
        let thread = try Thread(name: "waiter") {
            semaphore.wait()
            passed.append(true)
        }
        #expect(passed.all.isEmpty)
        semaphore.post()
        thread.end()
        #expect(passed.all == [true])
    }

    @Test("the monotonic clock does not go back")
    func clock() {
        let clock = SystemMonotonicClock()
        var last = clock.now()
        for _ in 0..<1_000 {
            let now = clock.now()
            #expect(now >= last)
            last = now
        }
    }
}
