// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Monitoring
import NetworkPaths

/// One notification of a key-value observation, told over HTTP.
struct KeyValueChange {
    let key: ObservedKey
    /// The record before; nil for an initial notification, which never has an old value (K3).
    let old: StatusRecord?
    let new: StatusRecord
    let isPrior: Bool

    /// Writes the members; `new` is never in a prior notification (K4), both only when asked for (K2).
    func write(to writer: inout JSONWriter, options: ObservationOptions, at moment: Timestamp?) {
        writer.subject(new)
        writer.member("key", key.rawValue)
        writer.member("kind", ChangeKind.setting.name)
        if options.contains(.old), let old {
            writer.key("old")
            value(of: old, to: &writer)
        }
        if options.contains(.new), !isPrior {
            writer.key("new")
            value(of: new, to: &writer)
        }
        writer.member("is_prior", isPrior)
        if let moment { writer.member("at", moment) }
    }

    /// What is not known is null here, as nil is NSNull in a change dictionary (K2).
    private func value(of record: StatusRecord, to writer: inout JSONWriter) {
        switch key {
        case .status: writer.string(record.status.name)
        case .reachable: writer.boolean(record.status.isReachable)
        case .reachableViaWWAN: writer.boolean(record.status == .reachableViaWWAN)
        case .reachableViaWiFi: writer.boolean(record.status == .reachableViaWiFi)
        case .state: writer.string(record.state.rawValue)
        case .flags, .path, .resolution:
            guard let path = record.path else {
                writer.null()
                return
            }
            writer.object { writer in
                switch key {
                case .flags: writer.flagsMembers(path.flags)
                case .path: writer.pathMembers(path, supportsDNS: record.supportsDNS)
                default: writer.resolutionMembers(path.resolution)
                }
            }
        }
    }
}
