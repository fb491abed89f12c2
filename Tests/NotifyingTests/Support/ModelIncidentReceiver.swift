// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A receiver that knows of each incident whether it is open, and repeats by their ids.
struct ModelIncidentReceiver {
    /// A message as it reads it.
    struct Arrival: Hashable {
        let id: String
        let key: String
        let phase: String

        /// - Parameter reading: nil for a message about no incident.
        init?(_ reading: MessageReading) {
            guard let id = reading.text("$.id"), let key = reading.text("$.incident.key"),
                let phase = reading.text("$.incident.phase")
            else { return nil }
            (self.id, self.key, self.phase) = (id, key, phase)
        }
    }

    private var seen: Set<String> = []
    private var open: [String: Bool] = [:]
    /// Incidents of which the sender may not know what arrived, because it died: what it sends next is no news.
    private var repeatable: Set<String> = []
    /// Those whose messages arrived since the sender stored what it knows.
    private var unstored: Set<String> = []
    private(set) var openings: [String: Int] = [:]
    private(set) var faults: [String] = []

    /// Incidents of which the sender may not know that it reported them.
    private var unknown: Set<String> = []

    /// The incidents that it holds to be open.
    ///
    /// - Parameter isMuted: whether people mute incidents, so that the sender owes nothing of what it does not know.
    func unresolved(isMuted: Bool) -> [String] {
        open.filter { $0.value && !(isMuted && unknown.contains($0.key)) }.keys.sorted()
    }
    /// All that it was ever notified of.
    var known: Set<String> { Set(open.keys) }

    mutating func take(_ arrival: Arrival) {
        unstored.insert(arrival.key)
        guard seen.insert(arrival.id).inserted else { return }
        let isRepeat = repeatable.remove(arrival.key) != nil
        let isOpen = open[arrival.key] ?? false
        switch arrival.phase {
        case "opened":
            if isOpen, !isRepeat { faults.append("\(arrival) of one that is open") }
            open[arrival.key] = true
            openings[arrival.key, default: 0] += 1
        case "closed":
            if !isOpen, !isRepeat { faults.append("\(arrival) of one that is not open") }
            open[arrival.key] = false
        default:
            if !isOpen, !isRepeat { faults.append("\(arrival) of one that is not open") }
            open[arrival.key] = true
        }
    }

    /// The sender stores what it knows.
    ///
    /// - Parameter uncertain: the incidents of which it does not know whether their last message arrived.
    mutating func store(uncertain: Set<String>) { unstored = uncertain }

    /// The sender begins anew with what it stored.
    ///
    /// - Parameter begun: the incidents of which it stored that it began to report them. Of others it does not know that their first
    ///   message arrived a moment before it was killed, and a mute that came since may hold back the rest.
    mutating func restart(begun: Set<String>) {
        repeatable.formUnion(unstored)
        unknown.formUnion(unstored.subtracting(begun))
    }
}
