// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc

/// Where a probe's packets leave from.
struct ProbeOrigin: Hashable {
    var source: IPAddress?
    var interface: String?
    var mark: UInt32?

    /// The index of the interface to send to an address through, 0 for any.
    ///
    /// - Throws: ``ProbeFault`` when there is no such interface, the source is of the other family, or the address means
    ///   nothing without an interface.
    func scope(for address: IPAddress) throws(ProbeFault) -> UInt32 {
        if let source, source.family != address.family {
            throw ProbeFault(reason: .invalidRequest, detail: "\(source) cannot send to \(address)")
        }
        guard let interface else {
            // The kernel would say EINVAL, as it does for a blackhole.
            guard address.family == .ipv4 || !address.isLinkLocal else {
                throw ProbeFault(reason: .invalidRequest, detail: "\(address) needs an interface to be sent through")
            }
            return 0
        }
        let index = unsafe if_nametoindex(interface)
        guard index != 0 else {
            throw ProbeFault(reason: .interfaceNotFound, detail: "there is no interface \(interface)")
        }
        return index
    }
}
