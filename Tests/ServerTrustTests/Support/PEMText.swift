// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation

/// PEM (RFC 7468) around bytes.
enum PEMText {
    /// - Parameter label: What it says that it is.
    static func write(_ bytes: [UInt8], label: String = "CERTIFICATE") -> String {
        let lines = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
    }
}
