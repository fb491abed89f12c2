// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much of a probe's result is written.
enum ResultDetail {
    /// What a list of many targets has room for: of the certificates only the server's own.
    case brief
    /// Everything.
    case full
}
