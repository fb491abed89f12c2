// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is done on a connection, in this order.
struct StreamPlan {
    let port: UInt16
    var startTLS: StartTLSProtocol?
    var tls: TLSSettings?
    var dialogue: [DialogueStep] = []
}
