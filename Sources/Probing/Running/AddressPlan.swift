// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// Which addresses are asked, and which of them stand in for each other.
struct AddressPlan: Equatable {
    /// Each lane needs an answer from one of its addresses.
    var lanes: [[IPAddress]] = []
    /// A family that should have had a lane and has no address.
    var missing: AddressFamily?
    /// How many addresses were left out, because there are too many.
    var leftOut = 0

    init(_ found: [IPAddress], for request: ProbeRequest) throws(ProbeFault) {
        if !request.expectedAddresses.isEmpty,
            let stranger = found.first(where: { address in
                !request.expectedAddresses.contains { $0.contains(address) }
            })
        {
            throw ProbeFault(
                reason: .addressMismatch,
                detail: "\(request.connectedHost) has the address \(stranger), which is not among the expected"
            )
        }
        let allowed = found.filter { address in
            request.source.map { $0.family == address.family } ?? true
        }
        let four = allowed.filter { $0.family == .ipv4 }
        let six = allowed.filter { $0.family == .ipv6 }
        let groups: [[IPAddress]] =
            switch request.family {
            case .any: [four + six]
            case .ipv4: [four]
            case .ipv6: [six]
            case .both: [four, six]
            }
        guard groups.contains(where: { !$0.isEmpty }) else {
            let family = request.family == .any || request.family == .both ? "usable" : request.family.rawValue
            throw ProbeFault(reason: .nameWithoutAddress, detail: "\(request.connectedHost) has no \(family) address")
        }
        if request.family == .both {
            missing = four.isEmpty ? .ipv4 : six.isEmpty ? .ipv6 : nil
        }
        for group in groups where !group.isEmpty {
            let limit = ProbeWork.addressLimit / groups.count
            switch request.addresses {
            case .first: lanes.append([group[0]])
            // Turned round, one address that answers decides: each must be asked.
            case .any where !request.expectsFailure:
                lanes.append(Array(group.prefix(limit)))
                leftOut += max(0, group.count - limit)
            case .any, .all:
                lanes += group.prefix(limit).map { [$0] }
                leftOut += max(0, group.count - limit)
            }
        }
    }
}
