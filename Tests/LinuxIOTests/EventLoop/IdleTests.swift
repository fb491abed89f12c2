// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Testing

/// Nothing runs when nothing happens.
@Suite(.timeLimit(.minutes(15)))
struct IdleTests {
    /// What /proc says a thread of this process sleeps in: `number args… sp pc`.
    private static func systemCall(ofThread name: String) -> [Substring]? {
        guard let tasks = unsafe opendir("/proc/self/task") else { return nil }
        defer { unsafe _ = closedir(tasks) }
        while let entry = unsafe readdir(tasks) {
            let id = unsafe withUnsafePointer(to: entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            let folder = "/proc/self/task/\(id)"
            guard let comm = try? FileContents.read("\(folder)/comm", limit: 64),
                String(decoding: comm, as: UTF8.self) == "\(name)\n"
            else { continue }
            guard let line = try? FileContents.read("\(folder)/syscall", limit: 512) else { return nil }
            return String(decoding: line, as: UTF8.self).split(separator: " ")
        }
        return nil
    }

    /// Waits until the loop's thread sleeps, and says with what time limit: the fourth argument of `epoll_wait(2)`.
    private static func timeLimit(ofThread name: String) -> Int32? {
        while true {
            guard let call = systemCall(ofThread: name) else { return nil }
            // epoll_wait is 232 on x86-64, epoll_pwait 281 there and 22 on 64-bit ARM.
            if let number = call.first, ["232", "281", "22"].contains(number), call.count > 4 {
                return UInt64(call[4].dropFirst(2), radix: 16).map { Int32(truncatingIfNeeded: $0) }
            }
            sched_yield()
        }
    }

    @Test("an idle loop sleeps without a time limit, and so it does after timers and names are over")
    func noLimit() async throws {
        guard Self.systemCall(ofThread: "no such thread") == nil,
            (try? FileContents.read("/proc/self/syscall", limit: 1)) != nil
        else { return }
        let loop = try EventLoop(name: "idle-test")
        defer { loop.close() }
        // The thread has its name once it runs.
        _ = loop.executeAndWait {}
        #expect(Self.timeLimit(ofThread: "idle-test") == -1)
        let timer = loop.executeAndWait { loop.schedule(after: 60_000_000_000) {} }
        #expect((Self.timeLimit(ofThread: "idle-test") ?? -1) > 50_000)
        _ = loop.executeAndWait { if let timer { loop.cancel(timer) } }
        #expect(Self.timeLimit(ofThread: "idle-test") == -1)

        let server = try FakeNameServer.answering { [DNSMessage.answer($0, code: 3)] }
        let bench = try ResolverBench(name: "idle-resolver", port: server.port)
        #expect(await bench.resolve("x.example").outcome == .noSuchName)
        #expect(Self.timeLimit(ofThread: "idle-resolver") == -1)
    }
}
