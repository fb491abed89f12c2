// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import ServerTrust

/// Reads each pin's file once for all targets of a configuration, which then share what was read.
package final class PinReader {
    private var known: [String: Result<[PinSet], TrustError>] = [:]

    package init() {}

    /// The pins that a text stands for: those of each file of a directory for themselves, otherwise all together.
    package func read(_ text: String) throws(TrustError) -> [PinSet] {
        if let result = known[text] { return try result.get() }
        let result = Result { () throws(TrustError) in
            guard !text.hasPrefix("sha256/"), CertificateDirectory.isDirectory(text) else {
                return [try PinSet(CollectionOfOne(text))]
            }
            var sets: [PinSet] = []
            for file in try CertificateDirectory.files(in: text) { sets.append(try PinSet(CollectionOfOne(file))) }
            guard !sets.isEmpty else { throw TrustError(.noCertificate, "there is no certificate in \(text)") }
            return sets
        }
        known[text] = result
        return try result.get()
    }
}
