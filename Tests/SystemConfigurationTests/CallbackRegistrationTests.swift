// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import SystemConfiguration

@Suite struct CallbackRegistrationTests {
    private let counts = ContextCounts()
    private let target = SCNetworkReachability(PathRequest(.defaultPath()))

    @Test("R60: released between the decision to call and the call, the context lives until the call retained it")
    func releasedWhilePinned() {
        let counts = counts
        let log = CallLog()
        let registration = unsafe CallbackRegistration(
            callout: { _, flags, _ in
                // The deferred release has happened, the call's own retain holds.
                #expect(counts.now == .init(retains: 2, releases: 1))
                log.record(flags)
            },
            context: counts.context
        )
        registration.pin()
        registration.release()
        #expect(counts.now == .init(retains: 1, releases: 0))
        registration.call(target, .reachable)
        #expect(log.flags == [.reachable])
        #expect(counts.now == .init(retains: 2, releases: 2))
    }

    @Test("R64: released once, whichever owner releases it and however often")
    func once() {
        do {
            let registration = unsafe CallbackRegistration(callout: nil, context: counts.context)
            registration.release()
            registration.release()
        }
        #expect(counts.now == .init(retains: 1, releases: 1))
    }
}
