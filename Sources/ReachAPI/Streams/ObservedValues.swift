// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import NetworkPaths

/// The observable keys' values before and after an event, as they were written.
///
/// A delivery sets the status and thereby fires every dependent key, changed or not (K10); a change of the path without
/// a delivery sets path and resolution.
struct ObservedValues {
    struct Change {
        let old: [UInt8]
        let new: [UInt8]
        let isEqual: Bool
    }

    private typealias Members = [String: [UInt8]]

    private let event: RecordedEvent
    private let data: Members
    private let previous: Members
    private let supplement: Members

    init(_ event: RecordedEvent) {
        self.event = event
        data = Self.members(of: event.data)
        previous = Self.members(of: data["previous"] ?? [])
        supplement = Self.members(of: event.supplement)
    }

    /// Anything but an object has no members: the file may have been edited.
    private static func members(of bytes: [UInt8]) -> Members {
        ((try? JSONReader.members(of: bytes)) ?? [:]).mapValues { Array($0) }
    }

    /// The change of a key; nil if the event does not set it.
    func change(of key: ObservedKey) -> Change? {
        switch event.type {
        case .reachability: reachability(key)
        case .path: event.supplement.isEmpty ? nil : path(key)
        case .state: key == .state ? state : nil
        case .certificate, .routeChange, .target, .config, .incident, .vote, .node, .location: nil
        }
    }

    private var state: Change? {
        guard let transition = event.transition, transition.from != transition.to else { return nil }
        return Change(old: Self.text(transition.from.rawValue), new: Self.text(transition.to.rawValue), isEqual: false)
    }

    /// A delivery; it has the previous status and flags, and the supplement the other previous values.
    private func reachability(_ key: ObservedKey) -> Change? {
        let old: [UInt8]
        let new: [UInt8]
        let status = previous["status"] ?? Self.null
        let (wwan, wifi) = (ReachabilityStatus.reachableViaWWAN, ReachabilityStatus.reachableViaWiFi)
        switch key {
        case .state: return nil
        case .status: (old, new) = (status, data["status"] ?? Self.null)
        case .reachable:
            old = Self.boolean(status == Self.text(wwan.name) || status == Self.text(wifi.name))
            new = data["reachable"] ?? Self.null
        case .reachableViaWWAN:
            (old, new) = (Self.boolean(status == Self.text(wwan.name)), data["reachable_via_wwan"] ?? Self.null)
        case .reachableViaWiFi:
            (old, new) = (Self.boolean(status == Self.text(wifi.name)), data["reachable_via_wifi"] ?? Self.null)
        case .flags: (old, new) = (previous["flags"] ?? Self.null, data["flags"] ?? Self.null)
        case .path, .resolution:
            new = data[key.rawValue] ?? Self.null
            // Without flags there was no evaluation.
            old = previous["flags"] == nil ? Self.null : supplement[key.rawValue] ?? new
        }
        return Change(old: old, new: new, isEqual: old == new)
    }

    /// A change without a delivery.
    private func path(_ key: ObservedKey) -> Change? {
        guard key == .path || key == .resolution else { return nil }
        let changed = Set((data["changed"] ?? []).split { $0 == UInt8(ascii: ",") || $0 == 0x5b || $0 == 0x5d })
        let resolution = Self.text(PathField.resolution.rawValue)[...]
        guard key == .resolution else {
            return Change(
                old: previous["path"] ?? Self.null,
                new: data["path"] ?? Self.null,
                isEqual: changed.isSubset(of: [resolution])
            )
        }
        let kept = supplement["resolution"] ?? Self.null
        let isChanged = changed.contains(resolution)
        return Change(
            old: isChanged ? previous["resolution"] ?? Self.null : kept,
            new: isChanged ? data["resolution"] ?? Self.null : kept,
            isEqual: !isChanged
        )
    }

    private static let null = Array("null".utf8)

    private static func boolean(_ value: Bool) -> [UInt8] { Array((value ? "true" : "false").utf8) }

    /// A constant word, in quotation marks.
    private static func text(_ word: String) -> [UInt8] { Array("\"\(word)\"".utf8) }
}
