// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Notifying

@Suite struct MessageMakerTests {
    private func maker(_ change: (inout ReceiverSettings) -> Void = { _ in }) throws -> MessageGrouper {
        var settings = try ReceiverSettings.hook()
        change(&settings)
        return MessageGrouper(settings)
    }

    private func unreachable(_ sequence: UInt64, _ target: String, at seconds: Int64 = 0) -> LogEntry {
        .change(.sample(sequence, target, .up, .unreachable, at: seconds))
    }

    private func back(_ sequence: UInt64, _ target: String, at seconds: Int64 = 0) -> LogEntry {
        .change(.sample(sequence, target, .unreachable, .up, at: seconds))
    }

    @Test("an outage of many targets is one message when the wait is over, and so is its end")
    func outage() throws {
        var maker = try maker()
        for number in 1...50 as ClosedRange<UInt64> { maker.take(unreachable(number, "t\(number)"), now: 0) }
        maker.take(.change(.sample(51, "own")), now: 0)
        maker.advance(now: 5 * second - 1, isCaughtUp: true)
        // What is down by its own fault is told at once.
        #expect(maker.takeMessages().map(\.target?.target) == ["own"])
        #expect(maker.deadline == 5 * second)
        maker.advance(now: 5 * second, isCaughtUp: true)
        let told = maker.takeMessages()
        #expect(told.map(\.count) == [50] && told[0].kind == .outage && told[0].status == .firing)
        #expect(told[0].sequence == 50 && told[0].covers == SequenceSet(1...50))
        #expect(told[0].causes == [.localNetwork: 50] && told[0].leftOut == 0)
        for number in 52...101 as ClosedRange<UInt64> { maker.take(back(number, "t\(number - 51)", at: 60), now: 0) }
        maker.advance(now: 70 * second, isCaughtUp: true)
        let over = maker.takeMessages()
        #expect(over.map(\.count) == [50] && over[0].status == .resolved)
    }

    @Test("a list is bounded, its count is not")
    func bounded() throws {
        var maker = try maker()
        for number in 1...500 as ClosedRange<UInt64> { maker.take(unreachable(number, "t\(number)"), now: 0) }
        maker.advance(now: 5 * second, isCaughtUp: true)
        let message = try #require(maker.takeMessages().first)
        #expect(message.count == 500 && message.changes.count == Message.listLimit)
        let reading = MessageReading(body: String(decoding: MessageBody.render(message), as: UTF8.self))
        #expect(reading.number("$.count") == 500 && reading.number("$.targets_omitted") == 400)
    }

    @Test("an outage shorter than the wait is not sent, and its events are acknowledged")
    func blip() throws {
        var maker = try maker()
        maker.take(unreachable(1, "a"), now: 0)
        maker.take(back(2, "a", at: 1), now: 0)
        maker.take(unreachable(3, "b", at: 1), now: 0)
        maker.advance(now: 5 * second, isCaughtUp: true)
        let told = maker.takeMessages()
        #expect(told.map(\.status) == [.firing] && told[0].changes.map(\.target) == ["b"])
        #expect(maker.takeSettled() == SequenceSet(1...2))
        // The same for its end: away again before anybody was notified that it is back.
        maker.take(back(4, "b", at: 60), now: 60 * second)
        maker.take(unreachable(5, "b", at: 61), now: 61 * second)
        maker.advance(now: 90 * second, isCaughtUp: true)
        #expect(maker.takeMessages() == [] && maker.takeSettled() == SequenceSet(4...5))
    }

    @Test(
        "a target whose failure was notified is resolved by name, whatever happens to this machine's network meanwhile"
    )
    func recoveryThroughOutage() throws {
        var maker = try maker()
        maker.take(.change(.sample(1, "nas")), now: 0)
        maker.take(.change(.sample(2, "web")), now: 0)
        maker.take(.change(.sample(3, "dim", .up, .degraded)), now: 0)
        #expect(maker.takeMessages().map(\.status) == [.firing, .firing, .firing])
        for number in 10...59 as ClosedRange<UInt64> { maker.take(unreachable(number, "t\(number)", at: 60), now: 0) }
        maker.take(.change(.sample(60, "nas", .down, .unreachable, at: 60)), now: 0)
        maker.take(.change(.sample(61, "web", .down, .unreachable, at: 60)), now: 0)
        maker.take(.change(.sample(62, "dim", .degraded, .unreachable, at: 60)), now: 0)
        maker.advance(now: 5 * second, isCaughtUp: true)
        #expect(maker.takeMessages().map(\.count) == [50])
        for number in 70...119 as ClosedRange<UInt64> { maker.take(back(number, "t\(number - 60)", at: 120), now: 0) }
        maker.take(back(120, "nas", at: 120), now: 0)
        maker.take(.change(.sample(121, "web", .unreachable, .down, at: 120)), now: 0)
        maker.take(.change(.sample(122, "dim", .unreachable, .down, at: 120)), now: 0)
        maker.advance(now: 130 * second, isCaughtUp: true)
        let told = maker.takeMessages()
        // Web was down and is: no message. What got worse meanwhile is one.
        #expect(
            told.map(\.kind) == [.state, .state, .outage] && told.map(\.status) == [.resolved, .firing, .resolved]
        )
        #expect(told[0].text == "nas is up." && told[0].changes[0].from == .down && told[0].severity == .critical)
        #expect(told[1].target?.target == "dim" && told[1].leftOut == 0 && told[2].count == 50)
    }

    @Test("the end of a large outage names the targets that its begin named")
    func largeOutage() throws {
        var maker = try maker()
        for number in 1...300 as ClosedRange<UInt64> { maker.take(unreachable(number, "t\(number)"), now: 0) }
        maker.advance(now: 5 * second, isCaughtUp: true)
        let begin = try #require(maker.takeMessages().first)
        // Back in the opposite order.
        for number in 301...600 as ClosedRange<UInt64> { maker.take(back(number, "t\(601 - number)", at: 60), now: 0) }
        maker.advance(now: 70 * second, isCaughtUp: true)
        let over = maker.takeMessages()
        #expect(over.map(\.count) == [300])
        #expect(Set(over[0].changes.map(\.target)) == Set(begin.changes.map(\.target)))
        // Named in two messages, and back at once: all are named.
        for number in 1...300 as ClosedRange<UInt64> {
            maker.take(unreachable(1000 + number, "t\(number)", at: 200 + Int64(number / 151) * 60), now: 0)
        }
        maker.advance(now: 400 * second, isCaughtUp: true)
        let named = maker.takeMessages().flatMap { $0.changes.map(\.target) }
        for number in 1...300 as ClosedRange<UInt64> { maker.take(back(2000 + number, "t\(number)", at: 900), now: 0) }
        maker.advance(now: 1000 * second, isCaughtUp: true)
        let ends = maker.takeMessages()
        #expect(named.count == 200 && ends.map(\.count) == [100, 200])
        #expect(Set(ends.flatMap { $0.changes.map(\.target) }) == Set(named))
    }

    @Test("a target that is no longer routed to the receiver resolves its notifications")
    func unrouted() throws {
        var maker = try maker { $0.filter.groups = ["g"] }
        maker.take(.change(.sample(1, "a", group: "g")), now: 0)
        maker.take(.change(.sample(2, "b", group: "g")), now: 0)
        maker.take(.update(.sample(3, "a", group: "h")), now: 0)
        maker.take(.change(.sample(4, "a", .down, .up, group: "h")), now: 0)
        maker.end { ["b": .unrouted, "c": .removed][$0] }
        maker.take(.other(id: EventID(epoch: "e", sequence: 5), at: Timestamp(milliseconds: 0)), now: 0)
        let told = maker.takeMessages()
        #expect(told.map(\.status) == [.firing, .firing, .resolved, .resolved])
        #expect(
            told.suffix(2).map(\.text)
                == ["a", "b"].map { "\($0) is no longer reported to this receiver; it was down." }
        )
        #expect(told.suffix(2).map(\.sequence) == [3, 5] && maker.takeSettled() == SequenceSet(4...4))
    }

    @Test("open problems of an earlier run of a removed target are resolved after its events")
    func removedMeanwhile() throws {
        let settings = try ReceiverSettings.hook()
        let reported = ReportedTargets(beginning: 4) { $0 == "a" ? nil : .removed }
        var maker = MessageGrouper(settings, open: OpenProblems(["b": .init(state: .down)]), reported: reported)
        func other(_ sequence: UInt64) -> LogEntry {
            .other(id: EventID(epoch: "e", sequence: sequence), at: Timestamp(milliseconds: 1_795_000_000_000))
        }
        maker.take(other(1), now: 0)
        maker.take(.change(.sample(2, "b", .down, .up)), now: 0)
        maker.take(.change(.sample(3, "b")), now: 0)
        // It was not reported yet, and is not.
        maker.take(.change(.sample(4, "c", .up, .unreachable)), now: 0)
        maker.take(other(5), now: 0)
        maker.advance(now: 100 * second, isCaughtUp: true)
        let told = maker.takeMessages()
        #expect(told.map(\.status) == [.resolved, .firing, .resolved] && told.map(\.sequence) == [2, 3, 5])
        #expect(told.last?.changes.map(\.target) == ["b"] && told.last?.covers == SequenceSet(4...5))
    }

    @Test("changes are gathered as before when the log is read again, whatever of the window is settled")
    func windowOverRestart() throws {
        let settings = try ReceiverSettings.hook()
        func machine(_ place: ReceiverOffset) -> MessageMachine { MessageMachine(settings, place: place) }
        let entries = [
            unreachable(1, "a"), back(2, "a", at: 1), unreachable(3, "b", at: 4), unreachable(4, "c", at: 6),
            back(5, "b", at: 7),
        ]
        let first = machine(ReceiverOffset(floor: 0))
        first.take(entries, now: 0)
        let sent = try #require(first.next(now: 0, at: Timestamp(milliseconds: 0)))
        let place = try #require(ReceiverOffset(first.place.description))
        #expect(place == first.place && place.mark.floor == 2 && place.window == first.place.window)
        // Its first two are settled: the window that they opened ends with the second all the same.
        let second = machine(place)
        second.take(Array(entries[2...]), now: 0)
        #expect(try #require(second.next(now: 0, at: Timestamp(milliseconds: 0))).body == sent.body)
        // A settled event opens a window, too.
        var mark = ConsumerOffset(floor: 0)
        mark.acknowledge(1...2)
        mark.acknowledge(4...4)
        let third = machine(ReceiverOffset(mark: mark, open: OpenProblems(), window: place.window))
        third.take(Array(entries[2...]), now: 0)
        #expect(third.place.window?.began == place.window?.began)
        #expect(try #require(third.next(now: 0, at: Timestamp(milliseconds: 0))).body == sent.body)
        #expect(ReceiverOffset("3\ngathered 5 -1") == nil && ReceiverOffset("3\ngathered 5") == nil)
    }

    @Test("messages that were acknowledged before a restart count for the rate limit after it")
    func limitOverRestart() throws {
        var settings = try ReceiverSettings.hook()
        settings.pace.perTarget = 1
        let first = MessageMachine(settings, place: ReceiverOffset(floor: 0))
        first.take([.change(.sample(1))], now: 0)
        #expect(first.place.times == [:])
        let sent = try #require(first.next(now: 0, at: Timestamp(milliseconds: 0)))
        _ = first.finish(sent.token, .accepted(status: 200), now: 0)
        let place = try #require(ReceiverOffset(first.place.description))
        #expect(place == first.place && place.times == ["db": [1_795_000_000_000]])
        let later = MessageMachine(settings, place: place)
        later.take([.change(.sample(2, "db", .down, .up, at: 10))], now: 0)
        #expect(later.next(now: 0, at: Timestamp(milliseconds: 0)) == nil)
        later.advance(now: 600 * second, at: Timestamp(milliseconds: 0), isCaughtUp: true)
        #expect(later.next(now: 600 * second, at: Timestamp(milliseconds: 0)) != nil)
        #expect(ReceiverOffset("3\ntold db x") == nil && ReceiverOffset("3\ntold  1 2")?.times == ["": [1, 2]])
    }

    @Test("a target with a notification of its own leaves the group, and nothing is lost")
    func leaving() throws {
        var maker = try maker()
        maker.take(unreachable(1, "a"), now: 0)
        maker.take(unreachable(2, "b"), now: 0)
        maker.take(.change(.sample(3, "a", .unreachable, .down, at: 1)), now: 0)
        let own = try #require(maker.takeMessages().first)
        #expect(own.changes[0].from == .up && own.changes[0].to == .down && own.leftOut == 1)
        #expect(own.covers.ranges == [1...1, 3...3])
        maker.advance(now: 5 * second, isCaughtUp: true)
        #expect(maker.takeMessages().map { $0.changes.map(\.target) } == [["b"]])
    }

    @Test("events that are read late are grouped by their time")
    func replay() throws {
        var maker = try maker()
        for outage in 0..<3 as Range<UInt64> {
            let start = Int64(outage) * 3600
            for target in 1...4 as ClosedRange<UInt64> {
                maker.take(unreachable(outage * 8 + target, "t\(target)", at: start), now: 0)
            }
            for target in 5...8 as ClosedRange<UInt64> {
                maker.take(back(outage * 8 + target, "t\(target - 4)", at: start + 60), now: 0)
            }
        }
        // The log has more: the clock says nothing yet.
        maker.advance(now: 1000 * second, isCaughtUp: false)
        #expect(maker.takeMessages().map(\.status) == [.firing, .resolved, .firing, .resolved, .firing])
        maker.advance(now: 1000 * second, isCaughtUp: true)
        #expect(maker.takeMessages().map(\.status) == [.resolved])
    }

    @Test("the removal of a target resolves its own notifications only")
    func removal() throws {
        var maker = try maker()
        maker.take(.change(.sample(1, "a")), now: 0)
        #expect(maker.takeMessages().count == 1)
        maker.take(.removal(.removed(2, "a", at: 5)), now: 0)
        let message = try #require(maker.takeMessages().first)
        #expect(message.status == .resolved && message.severity == .critical && message.covers == SequenceSet(2...2))
        #expect(message.changes[0].from == .down && message.changes[0].to == .unknown)
        #expect(message.changes[0].reason == "target_removed" && message.text == "a was removed while it was down.")
        // Its successor of the same name has no past; who was up, or whose trouble nobody heard of, is gone quietly.
        maker.take(.change(.sample(3, "a", .unknown, .up, at: 6)), now: 0)
        maker.take(.removal(.removed(4, "a", at: 7)), now: 0)
        maker.take(unreachable(5, "b", at: 8), now: 0)
        maker.take(.removal(.removed(6, "b", at: 9)), now: 0)
        maker.advance(now: 1000 * second, isCaughtUp: true)
        #expect(maker.takeMessages() == [] && maker.takeSettled() == SequenceSet(3...6))
        // Down, then not to be judged, then gone: down is what was told.
        maker.take(.change(.sample(7, "c", .up, .down, at: 10)), now: 0)
        maker.take(.change(.sample(8, "c", .down, .unreachable, at: 11)), now: 0)
        maker.take(.removal(.removed(9, "c", at: 12)), now: 0)
        let told = maker.takeMessages()
        #expect(told.map(\.status) == [.firing, .resolved] && told[1].changes[0].from == .down)
        #expect(told[1].covers == SequenceSet(9...9) && maker.deadline == nil)
        #expect(maker.takeSettled() == SequenceSet(8...8))
    }

    @Test("a receiver without resolved messages gets none")
    func unwantedRemoval() throws {
        var maker = try maker { $0.filter.to = [.down] }
        maker.take(.change(.sample(1, "a")), now: 0)
        maker.take(.removal(.removed(2, "a")), now: 0)
        #expect(maker.takeMessages().map(\.status) == [.firing])
    }

    @Test("a flapping target is notified six times in ten minutes, then once with the number of omitted changes")
    func flapping() throws {
        var maker = try maker()
        for number in 1...100 as ClosedRange<UInt64> {
            let isDown = number % 2 == 1
            maker.take(
                .change(.sample(number, "a", isDown ? .up : .down, isDown ? .down : .up, at: Int64(number))),
                now: 0
            )
        }
        maker.take(.change(.sample(101, "b", at: 100)), now: 0)
        let told = maker.takeMessages()
        #expect(told.map(\.sequence) == [1, 2, 3, 4, 5, 6, 101])
        #expect(told.allSatisfy { $0.leftOut == 0 })
        let deadline = try #require(maker.deadline)
        #expect(deadline == 594 * second)
        maker.advance(now: deadline, isCaughtUp: true)
        let last = try #require(maker.takeMessages().first)
        #expect(last.sequence == 100 && last.changes[0].to == .up && last.leftOut == 93)
        // Six messages ended with `resolved`: this is another one of nothing.
        #expect(last.status == .info)
        #expect(last.covers == SequenceSet(7...100))
        #expect(last.text.contains("93 more changes"))
        #expect(maker.waiting == 0)
    }

    @Test("a clock that is set back withholds nothing longer than the window")
    func clockSetBack() throws {
        var maker = try maker()
        let day: Int64 = 86_400
        for number in 1...6 as ClosedRange<UInt64> {
            let isDown = number % 2 == 1
            maker.take(.change(.sample(number, "a", isDown ? .up : .down, isDown ? .down : .up, at: day)), now: 0)
        }
        for round in 0...5 as ClosedRange<UInt64> {
            maker.take(unreachable(10 + round * 2, "n", at: day + Int64(round) * 20), now: 0)
            maker.advance(now: 5 * second, isCaughtUp: true)
            maker.take(back(11 + round * 2, "n", at: day + 10 + Int64(round) * 20), now: 0)
            maker.advance(now: 5 * second, isCaughtUp: true)
        }
        _ = maker.takeMessages()
        // What happened in the future does not count.
        for number in 31...37 as ClosedRange<UInt64> {
            let isDown = number % 2 == 1
            let change = StateChange.sample(
                number,
                "a",
                isDown ? .up : .down,
                isDown ? .down : .up,
                at: Int64(number)
            )
            maker.take(.change(change), now: 0)
        }
        #expect(maker.takeMessages().filter { $0.kind == .state }.map(\.sequence) == [31, 32, 33, 34, 35, 36])
        #expect(maker.deadline == 594 * second)
        maker.advance(now: 600 * second, isCaughtUp: true)
        #expect(maker.takeMessages().map(\.sequence) == [37])
        maker.take(unreachable(40, "n", at: 700), now: 700 * second)
        #expect(maker.deadline == 705 * second)
    }

    @Test("an outage is sent before events that the log dates an hour earlier, because the clock was set back")
    func clockSetBackWhileGathering() throws {
        var maker = try maker()
        maker.take(unreachable(1, "a", at: 3600), now: 0)
        maker.take(unreachable(2, "b", at: 3599), now: 0)
        maker.take(back(3, "a", at: 10), now: 0)
        #expect(maker.takeMessages().map(\.count) == [2])
        maker.take(back(4, "b", at: 11), now: 0)
        maker.advance(now: 5 * second, isCaughtUp: true)
        #expect(maker.takeMessages().map(\.status) == [.resolved])
    }

    @Test("a flapping network is notified less often, and nothing is lost")
    func flappingNetwork() throws {
        var maker = try maker()
        var now: UInt64 = 0
        var messages: [Message] = []
        for round in 0..<40 as Range<UInt64> {
            maker.take(unreachable(round * 2 + 1, "a", at: Int64(round) * 20), now: now)
            now += 10 * second
            maker.advance(now: now, isCaughtUp: true)
            maker.take(back(round * 2 + 2, "a", at: Int64(round) * 20 + 10), now: now)
            now += 10 * second
            maker.advance(now: now, isCaughtUp: true)
            messages += maker.takeMessages()
        }
        now += 1000 * second
        maker.advance(now: now, isCaughtUp: true)
        messages += maker.takeMessages()
        #expect(messages.count < 14)
        #expect(messages.reduce(0) { $0 + $1.count + $1.leftOut } <= 80)
        #expect(messages.last?.status == .resolved && messages.count % 2 == 0)
        for (index, message) in messages.enumerated() {
            #expect(message.status == (index % 2 == 0 ? .firing : .resolved))
        }
    }

    @Test("the first state is notified only if it is bad, and a restart is not a change")
    func first() throws {
        var maker = try maker()
        maker.take(.change(.sample(1, "a", .unknown, .up)), now: 0)
        maker.take(.change(.sample(2, "b", .unknown, .down)), now: 0)
        // Started again.
        maker.take(.change(.sample(3, "b", .unknown, .down)), now: 0)
        maker.take(.change(.sample(4, "b", .unknown, .up)), now: 0)
        maker.take(.change(.sample(5, "b", .up, .maintenance)), now: 0)
        maker.take(.change(.sample(6, "b", .maintenance, .up)), now: 0)
        maker.take(.change(.sample(7, "a", .up, .up)), now: 0)
        let told = maker.takeMessages()
        #expect(told.map(\.sequence) == [2, 4])
        #expect(told[1].changes[0].from == .down && told[1].status == .resolved && told[1].severity == .critical)
        var settled = SequenceSet()
        for number in [1, 3, 5, 6, 7] as [UInt64] { settled.insert(number) }
        #expect(maker.takeSettled() == settled)
    }

    @Test("states known at the start count")
    func seeded() throws {
        let problems: [StateChange] = [.sample(1, "a"), .sample(2, "b")]
        var maker = MessageGrouper(
            try .hook(),
            problems: ProblemTable(problems),
            open: OpenProblems(["a": OpenProblems.Problem(state: .down)])
        )
        maker.take(.change(.sample(9, "a", .unknown, .up)), now: 0)
        // Nobody was notified of this one.
        maker.take(.change(.sample(10, "b", .unknown, .up)), now: 0)
        #expect(maker.takeMessages().map(\.changes[0].from) == [.down])
    }

    @Test("resolved messages follow every notification, whatever the filter; `to` without `up` sends none")
    func ends() throws {
        func statuses(_ filter: (inout NotificationFilter) -> Void, _ states: [TargetState]) throws -> [Message.Status]
        {
            var maker = try maker { filter(&$0.filter) }
            for (index, pair) in zip(states, states.dropFirst()).enumerated() {
                maker.take(.change(.sample(UInt64(index) + 1, "a", pair.0, pair.1, at: Int64(index) * 3600)), now: 0)
                maker.advance(now: UInt64(index + 1) * 3600 * second, isCaughtUp: true)
            }
            return maker.takeMessages().map(\.status)
        }
        let life: [TargetState] = [.up, .down, .unreachable, .up]
        #expect(try statuses({ $0.minimumSeverity = .critical }, life) == [.firing, .resolved])
        #expect(try statuses({ $0.from = [.up] }, life) == [.firing, .resolved])
        #expect(try statuses({ $0.to = [.down] }, life + life.dropFirst()) == [.firing, .firing])
        #expect(try statuses({ $0.to = [.up] }, life) == [.resolved])
        #expect(try statuses({ $0.to = [.down, .up] }, [.up, .degraded, .up]) == [])
        #expect(
            try statuses({ $0.minimumSeverity = .critical }, [.up, .down, .degraded, .up]) == [
                .firing, .firing, .resolved,
            ]
        )
    }

    @Test("filters: target, group, tags, states, severity")
    func filters() throws {
        func told(_ filter: (inout NotificationFilter) -> Void, _ change: StateChange) throws -> Bool {
            var maker = try maker { filter(&$0.filter) }
            maker.take(.change(change), now: 0)
            let messages = maker.takeMessages()
            #expect(maker.takeSettled().isEmpty == !messages.isEmpty)
            return !messages.isEmpty
        }
        let change = StateChange.sample(1, "a", .up, .degraded, group: "g", tags: ["team": "web", "x": "y"])
        #expect(try told({ _ in }, change))
        #expect(try told({ $0.targets = ["a", "b"] }, change) && !told({ $0.targets = ["b"] }, change))
        #expect(try told({ $0.groups = ["g"] }, change) && !told({ $0.groups = ["h"] }, change))
        #expect(try !told({ $0.groups = ["g"] }, .sample(1)))
        #expect(try told({ $0.tags = ["team": "web"] }, change) && !told({ $0.tags = ["team": "db"] }, change))
        #expect(try told({ $0.from = [.up] }, change) && !told({ $0.from = [.down] }, change))
        #expect(try told({ $0.to = [.degraded] }, change) && !told({ $0.to = [.down] }, change))
        #expect(
            try told({ $0.minimumSeverity = .warning }, change) && !told({ $0.minimumSeverity = .critical }, change)
        )
        // Recoveries alone, of what was wrong.
        #expect(try !told({ $0.to = [.up] }, .sample(1, "a", .down, .up)))
        #expect(try !told({ _ in }, .sample(1, "a", .up, .paused)))
        #expect(try told({ $0.to = [.paused] }, .sample(1, "a", .up, .paused)))
    }
}
