// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import NetworkPaths

/// Where a probe's packets leave from.
struct ProbeOrigin: Hashable {
    var source: IPAddress?
    var interface: String?
    var mark: UInt32?

    /// The interface's index.
    ///
    /// - Throws: ``ProbeFault`` when there is no such interface.
    func interfaceIndex() throws(ProbeFault) -> UInt32? {
        guard let interface else { return nil }
        let index = unsafe if_nametoindex(interface)
        guard index != 0 else {
            throw ProbeFault(reason: .interfaceNotFound, detail: "there is no interface \(interface)")
        }
        return index
    }
}
