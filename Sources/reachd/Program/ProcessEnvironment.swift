// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// The environment that the process was started with.
enum ProcessEnvironment {
    /// All variables; of several with one name the first counts, as with `getenv(3)`.
    static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        // Read once at the start, before there are threads; nobody here ever writes it.
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            if let sign = text.firstIndex(of: "=") {
                let name = String(text[..<sign])
                if variables[name] == nil { variables[name] = String(text[text.index(after: sign)...]) }
            }
            unsafe next += 1
        }
        return variables
    }
}
