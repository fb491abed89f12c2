// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Configuration

/// Something in another program's configuration that ours does not say, or not quite.
public struct ImportNote: Sendable, Hashable {
    /// Where it stands.
    public let position: YAMLPosition
    /// What becomes of it, in words.
    public let words: String
}
