// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Testing

@Suite("Options and changes")
struct OptionsAndChangesTests {
    @Test("K1: options have Foundation's bits and combine")
    func optionBits() {
        #expect(ObservationOptions.new.rawValue == 1)
        #expect(ObservationOptions.old.rawValue == 2)
        #expect(ObservationOptions.initial.rawValue == 4)
        #expect(ObservationOptions.prior.rawValue == 8)
        #expect(ObservationOptions([.new, .prior]).rawValue == 9)
        #expect(ObservationOptions(rawValue: 0) == [])
    }

    @Test("K1: options have names on the wire", arguments: ["new", "old", "initial", "prior"])
    func optionNames(name: String) throws {
        let option = try #require(ObservationOptions(name: name))
        #expect(option.names == [name])
    }

    @Test("K1: an unknown name is not an option")
    func unknownOptionName() {
        #expect(ObservationOptions(name: "NEW") == nil)
        #expect(ObservationOptions(name: "") == nil)
        #expect(ObservationOptions(rawValue: 15).names == ["new", "old", "initial", "prior"])
    }

    @Test("K1: no options are bare notifications")
    func bareNotification() {
        let thermostat = Thermostat()
        let changes = Recorder<Change<Int>>()
        let observation = thermostat.observe(Thermostat.celsius) { changes.append($1) }
        thermostat.celsius = 21
        #expect(changes.elements == [Change()])
        observation.cancel()
    }

    @Test("K2: kinds have Foundation's numbers")
    func kinds() {
        #expect(ChangeKind.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(ChangeKind.allCases.map(\.name) == ["setting", "insertion", "removal", "replacement"])
    }

    @Test("K2: the dictionary has the original's keys, and only the requested ones")
    func dictionary() {
        #expect(
            ChangeDictionaryKey.allCases.map(\.rawValue) == ["kind", "new", "old", "indexes", "notificationIsPrior"]
        )
        let bare = Change<Int>().dictionary
        #expect(Set(bare.keys) == [.kind])
        #expect(bare[.kind] as? Int == 1)

        let full = Change(kind: .removal, old: [1], new: [2], isPrior: true, indexes: RangeSet(0..<1)).dictionary
        #expect(full[.kind] as? Int == 3)
        #expect(full[.old] as? [Int] == [1])
        #expect(full[.new] as? [Int] == [2])
        #expect(full[.indexes] as? RangeSet<Int> == RangeSet(0..<1))
        #expect(full[.notificationIsPrior] as? Bool == true)
    }

    @Test("K2: a nil is a null value in the dictionary, an absent value is absent")
    func nilIsNull() {
        let thermostat = Thermostat()
        let changes = Recorder<Change<String?>>()
        let observation = thermostat.observe(Thermostat.room, options: [.new, .old]) { changes.append($1) }
        thermostat.room = "hall"
        thermostat.room = nil
        let dictionaries = changes.elements.map(\.dictionary)
        #expect(dictionaries[0][.old] as? NullValue == NullValue())
        #expect(dictionaries[0][.new] as? String == "hall")
        #expect(dictionaries[1][.new] as? NullValue == NullValue())
        observation.cancel()
    }

    @Test("K2: an insertion contains the inserted elements, and no old ones")
    func insertion() {
        let (thermostat, changes, observation) = observedLog()
        thermostat.insert(7, at: 0)
        #expect(
            changes.elements == [
                Change(kind: .insertion, isPrior: true, indexes: RangeSet(0..<1)),
                Change(kind: .insertion, new: [7], indexes: RangeSet(0..<1)),
            ]
        )
        observation.cancel()
    }

    @Test("K2: a removal contains the removed elements, and no new ones")
    func removal() {
        let (thermostat, changes, observation) = observedLog(holding: [1, 2, 3])
        thermostat.remove(at: 1..<3)
        #expect(
            changes.elements == [
                Change(kind: .removal, old: [2, 3], isPrior: true, indexes: RangeSet(1..<3)),
                Change(kind: .removal, old: [2, 3], indexes: RangeSet(1..<3)),
            ]
        )
        observation.cancel()
    }

    @Test("K2: a replacement contains both")
    func replacement() {
        let (thermostat, changes, observation) = observedLog(holding: [1, 2, 3])
        thermostat.replace(at: 1, with: 9)
        #expect(changes.elements.last == Change(kind: .replacement, old: [2], new: [9], indexes: RangeSet(1..<2)))
        observation.cancel()
    }

    @Test("K2: a setting of a collection contains all of it, without indexes")
    func settingOfCollection() {
        let (thermostat, changes, observation) = observedLog(holding: [1])
        thermostat.replaceLog(with: [4, 5])
        #expect(changes.elements.last == Change(old: [1], new: [4, 5]))
        observation.cancel()
    }

    @Test("K2: a key that depends on a collection is notified of a setting")
    func dependentOfCollection() {
        let thermostat = Thermostat()
        let changes = Recorder<Change<Int>>()
        let observation = thermostat.observe(Thermostat.logCount, options: [.new, .old]) { changes.append($1) }
        thermostat.insert(7, at: 0)
        #expect(changes.elements == [Change(old: 0, new: 1)])
        observation.cancel()
    }

    @Test("Stale indexes are limited to the existing elements")
    func staleIndexes() {
        let (thermostat, changes, observation) = observedLog(holding: [1, 2])
        let change = thermostat.observers.willChange(
            .insertion,
            at: RangeSet(1..<9),
            of: Thermostat.log,
            on: thermostat
        )
        change.didChange()
        #expect(changes.elements.last == Change(kind: .insertion, new: [2], indexes: RangeSet(1..<9)))
        observation.cancel()
    }

    private func observedLog(
        holding log: [Int] = []
    ) -> (Thermostat, Recorder<Change<[Int]>>, KeyValueObservation) {
        let thermostat = Thermostat()
        thermostat.replaceLog(with: log)
        let changes = Recorder<Change<[Int]>>()
        let observation = thermostat.observe(Thermostat.log, options: [.new, .old, .prior]) { changes.append($1) }
        return (thermostat, changes, observation)
    }
}
