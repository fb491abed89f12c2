// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import KeyValueObserving
import Testing

@Suite("Changes as a sequence", .timeLimit(.minutes(15)))
struct SequenceTests {
    private let thermostat = Thermostat()

    @Test("Observation begins with the sequence, not with its first iteration")
    func beginsAtOnce() async {
        let changes = thermostat.changes(of: Thermostat.celsius)
        thermostat.celsius = 1
        thermostat.celsius = 1
        changes.cancel()
        var seen: [ObservationEvent<Int>] = []
        for await event in changes { seen.append(event) }
        #expect(seen == [.changed(Change(new: 20)), .changed(Change(new: 1)), .changed(Change(new: 1))])
    }

    @Test("A waiting reader gets each change, dependents included")
    func waitingReader() async {
        let changes = thermostat.changes(of: Thermostat.isFreezing, options: [.new, .old, .prior])
        let reader = Task {
            var seen: [Change<Bool>] = []
            for await event in changes {
                if let change = event.change { seen.append(change) }
                if seen.count == 2 { break }
            }
            return seen
        }
        thermostat.celsius = -1
        #expect(await reader.value == [Change(old: false, isPrior: true), Change(old: false, new: true)])
    }

    @Test("A slow reader receives the number of missed changes in their place")
    func lagging() async {
        let changes = thermostat.changes(of: Thermostat.celsius, options: [.new], limit: 3)
        for value in 1...10 { thermostat.celsius = value }
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .lagged(missed: 7))
        #expect(await iterator.next() == .changed(Change(new: 8)))
        thermostat.celsius = 11
        changes.cancel()
        #expect(await iterator.next() == .changed(Change(new: 9)))
        #expect(await iterator.next() == .changed(Change(new: 10)))
        #expect(await iterator.next() == .changed(Change(new: 11)))
        #expect(await iterator.next() == nil)
    }

    @Test("Nothing is missed within the limit")
    func withinLimit() async {
        let changes = thermostat.changes(of: Thermostat.celsius, options: [.new], limit: 50)
        for value in 1...50 { thermostat.celsius = value }
        changes.cancel()
        var seen: [Int?] = []
        for await event in changes { seen.append(event.change?.new) }
        #expect(seen == (1...50).map { $0 })
    }

    @Test("The sequence ends after its buffered changes when the object is released")
    func endsWithObject() async {
        var object: Thermostat? = Thermostat()
        let changes = object?.changes(of: Thermostat.celsius)
        object?.celsius = 5
        object = nil
        var seen: [Int?] = []
        guard let changes else { return }
        for await event in changes { seen.append(event.change?.new) }
        #expect(seen == [20, 5])
    }

    @Test("A cancelled task ends its iteration, waiting or not yet")
    func cancelledTask() async {
        let changes = thermostat.changes(of: Thermostat.celsius, options: [])
        let begun = DispatchSemaphore(value: 0)
        let reader = Task {
            begun.signal()
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value == 0)
        // Another reader of the same sequence goes on.
        thermostat.celsius = 1
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .changed(Change()))
    }

    @Test("Releasing sequence and iterators ends the observation")
    func released() async {
        do {
            let changes = thermostat.changes(of: Thermostat.celsius)
            var iterator = changes.makeAsyncIterator()
            _ = await iterator.next()
            #expect(thermostat.observers.count == 1)
        }
        #expect(thermostat.observers.count == 0)
    }

    @Test("Two readers share the elements between them")
    func twoReaders() async {
        let changes = thermostat.changes(of: Thermostat.celsius, options: [.new], limit: 100)
        let readers = (0..<2).map { _ in
            Task {
                var seen: [Int] = []
                for await event in changes { seen.append(event.change?.new ?? -1) }
                return seen
            }
        }
        for value in 1...100 { thermostat.celsius = value }
        changes.cancel()
        var all: [Int] = []
        for reader in readers { all += await reader.value }
        #expect(all.sorted() == Array(1...100))
    }
}
