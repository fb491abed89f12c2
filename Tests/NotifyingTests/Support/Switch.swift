// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Something that is so until a test says otherwise.
final class Switch: Sendable {
    private let state: Mutex<Bool>

    init(_ isOn: Bool) { state = Mutex(isOn) }

    var isOn: Bool { state.withLock { $0 } }

    func turnOff() { state.withLock { $0 = false } }
}
