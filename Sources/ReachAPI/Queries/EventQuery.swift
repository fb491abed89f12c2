// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Monitoring
import NetworkPaths

/// The events that a client requests, and their format; streams with equal queries share rendered events.
struct EventQuery: Hashable {
    /// The values of `event`: the stored types, and the changes derived from them.
    static let eventNames = EventType.allCases.map(\.rawValue) + ["change", "result", "activity"]

    /// The options of key-value observing by their names.
    static let namedOptions = ObservationOptions(rawValue: .max).names.compactMap { name in
        ObservationOptions(name: name).map { (name: name, value: $0) }
    }

    var filter = TargetFilter()
    /// Nil is all types.
    var types: Set<String>?
    var isDistinct = false
    var keys: [ObservedKey] = []
    var options: ObservationOptions = .new
    var format = EventFormat.event
    /// Whether each probe's result is included; off by default.
    var includesResults = false

    init() {}

    init(_ reader: inout QueryReader) {
        filter.ids = Set(reader.all("target"))
        filter.tags = reader.tags("tag")
        filter.groups = reader.all("group")
        for id in filter.ids where !TargetID.isValid(id) { reader.fault("target", "It is not a valid target id.") }
        let types = reader.cases("event", among: Self.eventNames.map { ($0, $0) })
        if !types.isEmpty { self.types = Set(types) }
        isDistinct = reader.boolean("distinct")
        keys = reader.cases("key", as: ObservedKey.self)
        if reader.isGiven("options") {
            options = ObservationOptions(reader.cases("options", among: Self.namedOptions))
            if keys.isEmpty { reader.fault("options", "It needs `key`.") }
        }
        includesResults =
            reader.cases("include", among: [("result", "result")]).contains("result") || types.contains("result")
        if types.contains("change"), keys.isEmpty { reader.fault("event", "`change` needs `key`.") }
        if let format = reader.cases("format", as: EventFormat.self).first { self.format = format }
    }

    func wants(_ type: EventType) -> Bool { types?.contains(type.rawValue) ?? true }

    /// Whether changes of the activity indicator are included: they belong to no target.
    var wantsActivity: Bool { types?.contains("activity") ?? filter.isEmpty }

    var wantsChanges: Bool { !keys.isEmpty && types?.contains("change") ?? true }
}

/// How events are framed.
enum EventFormat: String, CaseIterable {
    /// With the event's type in the `event` field.
    case event
    /// Under the default name, with the type inside the data, for clients that only support `onmessage`.
    case message
}

/// The keys that can be observed over HTTP (K9 and reachd's additions); named as the members of a target.
enum ObservedKey: String, CaseIterable {
    case status, reachable
    case reachableViaWWAN = "reachable_via_wwan"
    case reachableViaWiFi = "reachable_via_wifi"
    case flags, path, resolution, state

    /// Whether the record has the key: the network has no state.
    func exists(in record: StatusRecord) -> Bool { self != .state || record.target != nil }
}

/// The grammar of target ids.
package enum TargetID {
    /// Letters, digits, `-`, `_`, `.`, `:`; 1 to 128 bytes.
    package static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
                default: false
                }
            }
    }
}
