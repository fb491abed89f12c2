// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization

/// A response that may be there already when it is asked for.
final class FinishedResponse: Sendable {
    private let response = Mutex<HTTPResponse?>(nil)

    func set(_ response: HTTPResponse) { self.response.withLock { $0 = response } }

    func take() -> HTTPResponse? { response.withLock { $0 } }
}
