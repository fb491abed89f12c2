// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Zero-terminated copies of texts in one buffer.
struct TerminatedTexts {
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    init(_ texts: [String]) {
        for text in texts {
            starts.append(bytes.count)
            bytes += text.utf8
            bytes.append(0)
        }
    }

    /// Calls a function with pointers to the texts, valid during the call.
    func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress
            return unsafe body(
                starts.map { unsafe base?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            )
        }
    }
}
