// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import Diagnosis
import JSON
import Synchronization

/// The form in which a route is stored: a JSON object.
extension StoredRoute {
    /// The maximum number of routes that are stored.
    package static let maximumCount = 10_000
    /// Bounds what is read: a route with all hops and addresses has fewer values.
    private static let limits = JSONLimits(values: 1_024)

    /// What tells it from others.
    package var id: String { "\(gateway.address)%\(gateway.interface ?? "") \(prefix)" }

    /// The stored form.
    package var stored: [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("gateway", gateway.address.description)
            if let interface = gateway.interface { writer.member("interface", interface) }
            writer.member("prefix", prefix.description)
            writer.member("at", seenAt)
            if let length { writer.member("length", length) }
            writer.key("hops")
            writer.array(hops) { writer, hop in
                writer.object { writer in
                    writer.member("hop", hop.hop)
                    writer.key("addresses")
                    writer.array(hop.addresses) { $0.string($1.description) }
                }
            }
        }
        return writer.bytes
    }

    /// Reads the stored form; nil for anything else.
    package init?(stored bytes: [UInt8]) {
        guard let value = try? JSONValue(reading: bytes, limits: Self.limits),
            let gateway = value.text("gateway").flatMap({ IPAddress($0) }),
            let prefix = value.text("prefix").flatMap({ IPPrefix($0) }),
            let seenAt = value.whole("at", 0...253_402_300_799_999),
            let hops = value.elements("hops", RouteHop.init(stored:))
        else { return nil }
        self.init(
            gateway: Gateway(gateway, interface: value.text("interface")),
            prefix: prefix,
            hops: hops,
            length: value.whole("length", 1...255).map { Int($0) },
            seenAt: seenAt
        )
    }
}

extension RouteHop {
    fileprivate init?(stored value: JSONValue) {
        guard let hop = value.whole("hop", 1...255), let addresses = value.elements("addresses", Self.address) else {
            return nil
        }
        self.init(Int(hop), addresses)
    }

    private static func address(_ value: JSONValue) -> IPAddress? {
        if case .string(let text) = value { IPAddress(text) } else { nil }
    }
}

/// Known routes outlive the process.
extension Registry {
    /// The known routes, for a store; nil when none was learned since a revision. Any thread.
    package func routes(after revision: UInt64?) -> (revision: UInt64, routes: [StoredRoute])? {
        state.withLock { state in
            guard state.ways.routeRevision != revision else { return nil }
            return (state.ways.routeRevision, state.ways.routes(limit: StoredRoute.maximumCount))
        }
    }

    /// Adds the routes of an earlier run. Any thread.
    package func restoreRoutes(_ stored: [StoredRoute]) { change { $0.ways.restore(stored) } }
}
