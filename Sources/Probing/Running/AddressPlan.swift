// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import LinuxIO

/// The addresses to probe, grouped into lanes of alternatives.
struct AddressPlan: Equatable {
    /// The lanes; each needs an answer from one of its addresses.
    var lanes: [[IPAddress]] = []
    /// A requested family without an address.
    var missing: AddressFamily?
    /// A family that the name servers gave no answer about.
    var unanswered: ResolverAnswer.MissingFamily?
    /// The number of addresses omitted because of the limit.
    var leftOut = 0

    init(
        _ found: [IPAddress],
        unanswered: ResolverAnswer.MissingFamily? = nil,
        for request: ProbeRequest
    ) throws(ProbeFault) {
        self.unanswered = unanswered
        if !request.expectedAddresses.isEmpty,
            let stranger = found.first(where: { address in
                !request.expectedAddresses.contains { $0.contains(address) }
            })
        {
            throw ProbeFault(
                reason: .addressMismatch,
                detail: "\(request.connectedHost) has the unexpected address \(stranger)"
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
            throw Self.fault(of: request)
        }
        if request.family == .both {
            missing = four.isEmpty ? .ipv4 : six.isEmpty ? .ipv6 : nil
        }
        for group in groups where !group.isEmpty {
            let limit = ProbeWork.addressLimit / groups.count
            switch request.addresses {
            case .first: lanes.append([group[0]])
            // With an inverted expectation a single answer decides, so each address must be probed.
            case .any where !request.expectsFailure:
                lanes.append(Array(group.prefix(limit)))
                leftOut += max(0, group.count - limit)
            case .any, .all:
                lanes += group.prefix(limit).map { [$0] }
                leftOut += max(0, group.count - limit)
            }
        }
    }

    /// The fault of a name without an address that may be used.
    static func fault(of request: ProbeRequest) -> ProbeFault {
        let family = request.family.only.map { "\($0)" } ?? "usable"
        return ProbeFault(reason: .nameWithoutAddress, detail: "\(request.connectedHost) has no \(family) address")
    }
}

extension ProbeFamily {
    /// The only family that may be used, if there is one.
    package var only: AddressFamily? {
        switch self {
        case .any, .both: nil
        case .ipv4: .ipv4
        case .ipv6: .ipv6
        }
    }
}

extension ProbeRequest {
    /// Whether each address of a name is to be probed, so that a part of them is not enough for a result.
    var needsAllAddresses: Bool { family == .both || addresses == .all || addresses == .any && expectsFailure }
}
