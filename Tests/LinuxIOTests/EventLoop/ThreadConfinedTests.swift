// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

struct ThreadConfinedTests {
    private final class Counter {
        var count = 0
    }

    @Test("the loop's thread uses the value; after the loop ended its owner may")
    func use() throws {
        let loop = try EventLoop(name: "confined-test")
        let counter = ThreadConfined(Counter(), to: loop)
        for _ in 0..<3 { loop.execute { counter.value.count += 1 } }
        #expect(loop.executeAndWait { counter.value.count } == 3)
        loop.close()
        #expect(counter.value.count == 3)
    }

    @Test("before a thread begins its owner fills the value")
    func before() {
        let counter = ThreadConfined(Counter(), to: ThreadOwner())
        counter.value.count = 1
        #expect(counter.value.count == 1)
    }

    #if DEBUG
        @Test("another thread traps in debug builds")
        func trap() async {
            await #expect(processExitsWith: .failure) {
                let loop = try EventLoop(name: "confined-test")
                let counter = ThreadConfined(Counter(), to: loop)
                counter.value.count = 1
                loop.close()
            }
        }

        @Test("a timer that is set outside of the loop's thread traps in debug builds")
        func loop() async {
            await #expect(processExitsWith: .failure) {
                let loop = try EventLoop(name: "confined-test")
                _ = loop.schedule(after: 1) {}
                loop.close()
            }
        }
    #endif
}
