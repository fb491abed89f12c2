// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import KeyValueObserving
import Monitoring
import NetworkPaths

/// One notification of a key-value observation, as sent over HTTP.
struct KeyValueChange {
    /// The source of a value.
    enum Value {
        case record(StatusRecord)
        /// Prepared JSON.
        case rendered([UInt8])
    }

    let key: ObservedKey
    /// The target; nil for the machine's own network.
    let subject: String?
    /// The value before; nil for an initial notification, which never has an old value (K3).
    let old: Value?
    let new: Value
    let isPrior: Bool

    init(key: ObservedKey, subject: String?, old: Value?, new: Value, isPrior: Bool) {
        self.key = key
        self.subject = subject
        self.old = old
        self.new = new
        self.isPrior = isPrior
    }

    /// An initial notification.
    init(initial key: ObservedKey, of record: StatusRecord) {
        self.init(key: key, subject: record.target?.settings.id, old: nil, new: .record(record), isPrior: false)
    }

    /// Writes the members; `new` is never in a prior notification (K4), both only on request (K2).
    func write(to writer: inout JSONWriter, options: ObservationOptions, at moment: Timestamp?) {
        writer.subject(subject)
        writer.member("key", key.rawValue)
        writer.member("kind", ChangeKind.setting.name)
        if options.contains(.old), let old {
            writer.key("old")
            write(old, to: &writer)
        }
        if options.contains(.new), !isPrior {
            writer.key("new")
            write(new, to: &writer)
        }
        writer.member("is_prior", isPrior)
        if let moment { writer.member("at", moment) }
    }

    private func write(_ value: Value, to writer: inout JSONWriter) {
        switch value {
        case .record(let record): key.value(of: record, to: &writer)
        case .rendered(let bytes): writer.value(rendered: bytes)
        }
    }
}

extension ObservedKey {
    /// An unknown value is null here, as nil is NSNull in a change dictionary (K2).
    func value(of record: StatusRecord, to writer: inout JSONWriter) {
        switch self {
        case .status: writer.string(record.status.name)
        case .reachable: writer.boolean(record.status.isReachable)
        case .reachableViaWWAN: writer.boolean(record.status == .reachableViaWWAN)
        case .reachableViaWiFi: writer.boolean(record.status == .reachableViaWiFi)
        case .state: writer.string(record.state.rawValue)
        case .flags, .path, .resolution:
            guard let path = record.shownPath else {
                writer.null()
                return
            }
            writer.object { writer in
                switch self {
                case .flags: writer.flagsMembers(path.flags)
                case .path: writer.pathMembers(path, supportsDNS: record.supportsDNS)
                default: writer.resolutionMembers(path.resolution)
                }
            }
        }
    }
}
