// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Probing
import Testing

@testable import Notifying

extension ReceiverSettings.Channel {
    /// Sends a message once, and waits for what comes of it.
    func send(_ message: Message) throws -> SendOutcome {
        let result = try EventLoop.run(named: "test-send") { loop, end throws(ResolverError) in
            let resolver = try Resolver(loop: loop)
            let runner = ProbeRunner(loop: loop, resolver: resolver)
            let sender = MessageSender(runner: runner, clock: SystemWallClock())
            let delivery = Delivery(token: 0, content: content(of: message), id: nil, attempt: 1)
            _ = sender.send(delivery, to: route) { outcome in
                runner.close()
                resolver.close()
                end(outcome)
            }
        }
        return try #require(result).get()
    }
}
