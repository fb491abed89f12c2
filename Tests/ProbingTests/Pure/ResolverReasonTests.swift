// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Testing

@testable import Probing

@Test(arguments: [
    (ResolverAnswer.Outcome.noSuchName, ProbeReason.nameNotFound), (.noData, .nameWithoutAddress),
    (.timedOut, .nameTimeout), (.serverFailure, .nameServerFailure), (.refused, .nameServerRefused),
    (.unreachable, .nameServerUnreachable), (.badName, .nameInvalid), (.failed(code: 7), .nameError),
    (.exhausted(SystemError(code: EMFILE, operation: "socket")), .outOfDescriptors),
    (.exhausted(SystemError(code: ENOBUFS, operation: "socket")), .outOfMemory),
])
func resolverReasons(_ row: (outcome: ResolverAnswer.Outcome, reason: ProbeReason)) {
    #expect(ResolverReason.fault(of: row.outcome, name: "example.test").reason == row.reason)
}
