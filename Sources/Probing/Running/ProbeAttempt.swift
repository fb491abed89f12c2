// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// One probe of one address. On the loop's thread.
protocol ProbeAttempt: AnyObject {
    /// Starts; calls ``AttemptContext/completion`` at most once, possibly before this returns.
    func start()

    /// Ends the attempt at its deadline: reports the state so far and closes everything. Calls the completion before
    /// this returns, unless it was called already.
    func expire()

    /// Closes everything; the completion is not called afterwards.
    func cancel()

    /// Ends the attempt as a failure.
    func fail(_ fault: ProbeFault)
}

extension ProbeAttempt {
    /// Executes a step; a thrown fault ends the attempt.
    func attempt(_ step: () throws(ProbeFault) -> Void) {
        do throws(ProbeFault) {
            try step()
        } catch {
            fail(error)
        }
    }
}

/// The parameters of every attempt.
struct AttemptContext {
    let loop: EventLoop
    let request: ProbeRequest
    /// The policy, when an API client set the target.
    let policy: TargetPolicy?
    /// The address to probe: one of the host's.
    let address: IPAddress
    let origin: ProbeOrigin
    /// The time of ``ProbeAttempt/expire()``, in the loop's nanoseconds; ``postpone`` does not change it.
    let deadline: UInt64
    /// Moves the run's deadline: the attempt has this time from now on.
    let postpone: (Duration) -> Void
    let completion: (AddressResult) -> Void

    /// The request's host.
    var host: ProbeHost { request.host }
}
