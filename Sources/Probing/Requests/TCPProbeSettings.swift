// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A TCP connection, and what is said on it.
public struct TCPProbeSettings: Sendable, Hashable {
    /// The port to connect to.
    public var port: UInt16
    /// What is said after the connection stands, step by step; with none the connection is enough.
    public var dialogue: [DialogueStep]

    /// Creates settings.
    public init(port: UInt16, dialogue: [DialogueStep] = []) {
        self.port = port
        self.dialogue = dialogue
    }
}
