// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

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
