// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import Monitoring
import Probing

/// One message that means nothing, to see whether a receiver takes it. On a thread of its own.
package struct TestDelivery: Sendable {
    /// What came of it.
    package struct Outcome: Sendable, Hashable {
        /// Whether the receiver took it.
        package let isAccepted: Bool
        /// One line for people, without secrets.
        package let words: String
    }

    private let settings: ReceiverSettings
    private let clock: any WallClock

    /// Prepares a message for a receiver.
    package init(_ settings: ReceiverSettings, clock: any WallClock = SystemWallClock()) {
        self.settings = settings
        self.clock = clock
    }

    /// Sends it once, and waits for what comes of it.
    ///
    /// - Throws: ``SystemError`` when a descriptor or the thread could not be had.
    package func run() throws(SystemError) -> Outcome {
        let result = try EventLoop.run(named: "reachd-notify") { loop, end throws(ResolverError) in
            try start(on: loop, completion: end)
        }
        switch result {
        case .success(.accepted(let status))?:
            return Outcome(isAccepted: true, words: "accepted with status \(status)")
        case .success(.refused(let failure))?:
            return Outcome(isAccepted: false, words: "refused: \(failure.detail)")
        case .success(.failed(let failure, _))?:
            return Outcome(isAccepted: false, words: "not delivered: \(failure.detail) (\(failure.code))")
        case .failure(let error)?: return Outcome(isAccepted: false, words: error.description)
        case nil: return Outcome(isAccepted: false, words: "cancelled")
        }
    }

    private func start(
        on loop: EventLoop,
        completion: @escaping (SendOutcome) -> Void
    ) throws(ResolverError) {
        let resolver = try Resolver(loop: loop)
        let runner = ProbeRunner(loop: loop, resolver: resolver)
        let sender = MessageSender(runner: runner, clock: clock)
        let message = Message.test(at: clock.now())
        let delivery = Delivery(
            token: 0,
            content: settings.channel.content(of: message),
            id: message.id,
            attempt: 1
        )
        // The run keeps both until its end.
        _ = sender.send(delivery, to: settings.channel.route) { outcome in
            runner.close()
            resolver.close()
            completion(outcome)
        }
    }
}
