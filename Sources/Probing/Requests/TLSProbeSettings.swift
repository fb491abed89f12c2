// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A TLS handshake, and what is said after it.
public struct TLSProbeSettings: Sendable, Hashable {
    /// The port to connect to.
    public var port: UInt16
    /// How TLS is spoken.
    public var tls: TLSSettings
    /// How TLS is asked for; nil: it begins at once.
    public var startTLS: StartTLSProtocol?
    /// What is said after the handshake, step by step; with none the handshake is enough.
    public var dialogue: [DialogueStep]

    /// Creates settings; everything has a default.
    public init(
        port: UInt16 = 443,
        tls: TLSSettings = TLSSettings(),
        startTLS: StartTLSProtocol? = nil,
        dialogue: [DialogueStep] = []
    ) {
        self.port = port
        self.tls = tls
        self.startTLS = startTLS
        self.dialogue = dialogue
    }
}
