// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Monitoring

/// Which events a client wants, and how; streams with equal queries share what is rendered.
struct EventQuery: Hashable {
    /// The names that `event` takes: what the log keeps, and the changes derived from it.
    static let eventNames = EventType.allCases.map(\.rawValue) + ["change", "result", "activity"]

    /// The options of key-value observing by their names.
    static let namedOptions = ObservationOptions(rawValue: .max).names.compactMap { name in
        ObservationOptions(name: name).map { (name: name, value: $0) }
    }

    var filter = TargetFilter()
    /// Nil for all types.
    var types: Set<String>?
    var isDistinct = false
    var keys: [ObservedKey] = []
    var options: ObservationOptions = .new
    var format = EventFormat.event
    /// Whether each probe's result is wanted, which must be asked for.
    var includesResults = false

    init() {}

    init(_ reader: inout QueryReader) {
        filter.ids = Set(reader.all("target"))
        filter.tags = reader.tags("tag")
        filter.groups = reader.all("group")
        for id in filter.ids where !TargetID.isValid(id) { reader.fault("target", "It is not a target's id.") }
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

    /// Whether changes of the activity indicator are wanted: they speak of no target.
    var wantsActivity: Bool { types?.contains("activity") ?? filter.isEmpty }

    var wantsChanges: Bool { !keys.isEmpty && types?.contains("change") ?? true }
}
