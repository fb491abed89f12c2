// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The gateways that were default gateways before: the loss of an uplink is told apart from a change of the default route by
/// the state of its interface.
struct FormerGateways {
    /// The maximum number of gateways; those that were in use last stay.
    static let capacity = 16

    /// The gateways, those that were in use last first.
    private(set) var gateways: [DefaultGateway] = []

    /// Updates the list for the gateways in use.
    ///
    /// - Parameters:
    ///   - current: The default gateways.
    ///   - previous: The default gateways before.
    mutating func follow(_ current: [DefaultGateway], after previous: [DefaultGateway]) {
        guard current != previous else { return }
        var former: [DefaultGateway] = []
        for gateway in previous + gateways where gateway.interface != nil && !former.contains(gateway) {
            // Another network on the same interface: the former one is no longer connected.
            let isReplaced = current.contains {
                $0.interface == gateway.interface && $0.address.family == gateway.address.family
            }
            if !isReplaced { former.append(gateway) }
        }
        gateways = Array(former.prefix(Self.capacity))
    }

    /// Returns why packets cannot leave through each of them; without those through which they can.
    func faults(_ links: LinkTable, _ evaluator: PathEvaluator) -> [DefaultGateway: UnsatisfiedReason] {
        guard !gateways.isEmpty else { return [:] }
        let subjects = gateways.map {
            PathEvaluator.Subject(request: PathRequest(.address($0.address, interface: $0.interface)), resolution: nil)
        }
        var faults: [DefaultGateway: UnsatisfiedReason] = [:]
        for (gateway, path) in zip(gateways, evaluator.evaluate(subjects)) {
            faults[gateway] = Self.fault(gateway.interface.flatMap(links.link(named:))) ?? path.unsatisfiedReason
        }
        return faults
    }

    /// Returns the fault of a link, which explains missing routes.
    private static func fault(_ link: Link?) -> UnsatisfiedReason? {
        guard let link else { return .noInterface }
        guard !link.isLive else { return nil }
        return !link.isUp || link.isDormant ? .linkDown : .noCarrier
    }
}
