// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// The files of the certificate that a server is shown, and of its key.
enum IdentityFile {
    /// The contents of a file.
    static func read(_ path: String) throws(ProbeFault) -> [UInt8] {
        try ProbeFault.told { () throws(TrustError) in try TrustFile.read(path) }
    }

    static func fault(_ detail: String) -> ProbeFault {
        ProbeFault(reason: .tlsFilesUnreadable, detail: detail)
    }
}
