// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// Reads each pin's file once for all targets of a configuration, which then share what was read.
final class PinReader {
    private var known: [String: Result<PinSet, TrustError>] = [:]

    /// The pins that a text stands for.
    func read(_ text: String) throws(TrustError) -> PinSet {
        if let result = known[text] { return try result.get() }
        let result = Result { () throws(TrustError) in try PinSet(CollectionOfOne(text)) }
        known[text] = result
        return try result.get()
    }
}
