// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A TCP connection, and what is said on it.
public struct TCPProbeSettings: Sendable, Hashable {
    /// The port to connect to.
    public var port: UInt16
    /// When the connection goes over to TLS before the dialogue.
    public var startTLS: StartTLS?
    /// What is said after the connection stands, step by step; with none the connection is enough.
    public var dialogue: [DialogueStep]

    /// Creates settings.
    public init(port: UInt16, startTLS: StartTLS? = nil, dialogue: [DialogueStep] = []) {
        self.port = port
        self.startTLS = startTLS
        self.dialogue = dialogue
    }
}
