// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// One probe of one address. On the loop's thread, all of it.
protocol ProbeAttempt: AnyObject {
    /// Begins; ``AttemptContext/completion`` is called at most once, possibly from inside this call.
    func start()

    /// The time is over: says what there is, closes everything; the completion is called from inside this call unless
    /// it was before.
    func expire()

    /// Closes everything; the completion is not called any more.
    func cancel()

    /// Ends as a failure.
    func fail(_ fault: ProbeFault)
}

extension ProbeAttempt {
    /// Takes a step; what it throws is the end.
    func attempt(_ step: () throws(ProbeFault) -> Void) {
        do throws(ProbeFault) {
            try step()
        } catch {
            fail(error)
        }
    }
}

/// What every attempt is given.
struct AttemptContext {
    let loop: EventLoop
    let request: ProbeRequest
    /// Bounds the run when somebody else than the operator asks.
    let policy: TargetPolicy?
    /// One of those of the host.
    let address: IPAddress
    let origin: ProbeOrigin
    /// When ``ProbeAttempt/expire()`` will be called, in the loop's nanoseconds.
    let deadline: UInt64
    let completion: (AddressResult) -> Void

    /// What the request asks.
    var host: ProbeHost { request.host }
}
