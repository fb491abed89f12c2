// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One step of a dialogue on a connection.
package enum DialogueStep: Sendable, Hashable {
    /// Sends a text as it stands, in UTF-8; line ends are the writer's business.
    case send(String)
    /// Waits until the bytes received since the last `send`, at most 64 KiB, match.
    case expect(ProbePattern)
}
