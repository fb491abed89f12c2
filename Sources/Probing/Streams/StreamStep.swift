// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What a step on a connection came to.
enum StreamStep<Value> {
    /// It was done.
    case done(Value)
    /// This must happen to the socket first.
    case waits(EventLoop.Events)
}
