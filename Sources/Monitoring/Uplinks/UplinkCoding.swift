// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import JSON
import LinuxIO
import NetworkPaths

/// The form in which an uplink's record is stored: a JSON object with times in milliseconds.
extension Uplink {
    /// Bounds what is read: a record with all intervals has fewer values.
    private static let limits = JSONLimits(values: 4_096)
    /// The last millisecond of the year 9999.
    private static let latest: Int64 = 253_402_300_799_999

    /// The stored form.
    package var stored: [UInt8] {
        var writer = JSONWriter(reserving: 1_024)
        writer.object { writer in
            if let interface = gateway.interface { writer.member("interface", interface) }
            writer.member("gateway", gateway.address.description)
            writer.member("first", firstSeen.milliseconds)
            writer.member("used", lastUsed.milliseconds)
            writer.member("state", state.rawValue)
            writer.member("count", outageCount)
            writer.key("periods")
            writer.array(periods) { writer, period in
                writer.object { writer in
                    writer.member("from", period.from.milliseconds)
                    if let to = period.to { writer.member("to", to.milliseconds) }
                }
            }
            writer.key("outages")
            writer.array(outages) { writer, outage in
                writer.object { writer in
                    writer.member("from", outage.from.milliseconds)
                    if let to = outage.to { writer.member("to", to.milliseconds) }
                    writer.member("cause", outage.cause.rawValue)
                    if let end = outage.end { writer.member("end", end.rawValue) }
                    writer.member("length", outage.milliseconds)
                }
            }
            writer.key("months")
            writer.array(months.all) { writer, month in
                writer.object { writer in
                    writer.member("number", month.number)
                    writer.member("used", month.used)
                    writer.member("lost", month.lost)
                }
            }
            if let gatewayLatency { writer.member("gateway_latency") { $0.storedMembers(gatewayLatency) } }
            if let publicHop { writer.member("public_hop") { $0.storedMembers(publicHop) } }
        }
        return writer.bytes
    }

    /// Reads the stored form; nil for anything else.
    package init?(stored bytes: [UInt8]) {
        guard let value = try? JSONValue(reading: bytes, limits: Self.limits),
            let address = value.text("gateway").flatMap({ IPAddress($0) }),
            let first = value.moment("first"), let used = value.moment("used"),
            let state = value.text("state").flatMap(State.init(rawValue:)),
            let periods = value.elements("periods", Period.init(stored:)),
            let outages = value.elements("outages", UplinkOutage.init(stored:)),
            let months = value.member("months")?.elements
        else { return nil }
        self.init(DefaultGateway(address, interface: value.text("interface")), at: first)
        lastUsed = used
        self.state = state
        self.periods = Array(periods.suffix(Self.maximumIntervals))
        self.outages = Array(outages.suffix(Self.maximumIntervals))
        outageCount = UInt64(clamping: value.whole("count", 0...Int64(UInt32.max)) ?? 0)
        for month in months.suffix(UplinkMonths.maximum) {
            guard let number = month.whole("number", 0...120_000) else { return nil }
            self.months.add(month.whole("used", 0...Self.latest) ?? 0, to: number, \.used)
            self.months.add(month.whole("lost", 0...Self.latest) ?? 0, to: number, \.lost)
        }
        gatewayLatency = value.member("gateway_latency").flatMap(Latency.init(stored:))
        publicHop = value.member("public_hop").flatMap(Latency.init(stored:))
    }
}

extension JSONWriter {
    fileprivate mutating func storedMembers(_ latency: Uplink.Latency) {
        member("address", latency.address.description)
        member("nanoseconds", latency.roundTrip.nanoseconds)
        member("at", latency.at.milliseconds)
    }
}

extension Uplink.Latency {
    fileprivate init?(stored value: JSONValue) {
        guard let address = value.text("address").flatMap({ IPAddress($0) }), let at = value.moment("at"),
            let length = value.whole("nanoseconds", 0...86_400_000_000_000)
        else { return nil }
        self.init(address: address, roundTrip: .nanoseconds(length), at: at)
    }
}

extension Uplink.Period {
    fileprivate init?(stored value: JSONValue) {
        guard let from = value.moment("from") else { return nil }
        self.init(from: from, to: value.moment("to"))
    }
}

extension UplinkOutage {
    fileprivate init?(stored value: JSONValue) {
        guard let from = value.moment("from"), let cause = value.text("cause").flatMap(Cause.init(rawValue:)) else {
            return nil
        }
        self.init(from: from, cause: cause)
        to = value.moment("to")
        end = value.text("end").flatMap(End.init(rawValue:))
        milliseconds = value.whole("length", 0...31_622_400_000) ?? 0
    }
}
