// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import ServerTrust

/// The files of the certificate that a server is shown, and of its key.
enum IdentityFile {
    private static let limit = 1 << 20

    /// The contents of a file.
    static func read(_ path: String) throws(ProbeFault) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit + 1)
        } catch {
            throw fault(error.description)
        }
        guard bytes.count <= limit else { throw fault("\(path) is longer than 1 MiB") }
        return bytes
    }

    static func fault(_ detail: String) -> ProbeFault {
        ProbeFault(reason: .tlsFilesUnreadable, detail: detail)
    }
}

extension ProbeFault {
    /// What trust should rest on cannot be used.
    init(_ error: TrustError) {
        self.init(reason: error.code == .outOfMemory ? .outOfMemory : .tlsFilesUnreadable, detail: error.message)
    }

    /// Does something that trust rests on.
    static func told<Value>(_ body: () throws(TrustError) -> Value) throws(ProbeFault) -> Value {
        do throws(TrustError) {
            return try body()
        } catch {
            throw ProbeFault(error)
        }
    }
}
