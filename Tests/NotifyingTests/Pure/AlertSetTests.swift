// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import TestSupport
import Testing

@testable import Notifying

@Suite struct AlertBookTests {
    private func settings() throws -> AlertmanagerSettings {
        var settings = AlertmanagerSettings(
            request: HTTPProbeSettings(url: try HTTPURL("http://127.0.0.1:9093/api/v2/alerts"))
        )
        settings.labels = ["site": "berlin"]
        settings.externalURL = "https://reachd.example.org/"
        return settings
    }

    private func book(_ filter: (inout NotificationFilter) -> Void = { _ in }) throws -> AlertSet {
        let settings = try settings()
        var receiver = ReceiverSettings(name: "am", channel: .alertmanager(settings))
        filter(&receiver.filter)
        return AlertSet(receiver, settings, processed: 0, random: SeededGenerator(seed: 1))
    }

    private func names(_ sending: AlertSet.Sending?) -> [String] {
        (sending?.alerts ?? []).map {
            "\($0.labels["target"] ?? "") \($0.labels["alertname"] ?? "")\($0.endsAt == nil ? "" : " over")"
        }.sorted()
    }

    @Test("an alert names the open incident of its target, and its end the last one; no label does")
    func incidents() throws {
        let incidents = ImitatedIncidents()
        let manager = try settings()
        let receiver = ReceiverSettings(name: "am", channel: .alertmanager(manager))
        let machine = AlertmanagerMachine(receiver, manager, place: ReceiverOffset(floor: 0), incidents: incidents)
        let moment = Timestamp(milliseconds: 1_795_002_400_000)
        func send() throws -> MessageReading {
            let delivery = try #require(machine.next(now: 0, at: moment))
            _ = machine.finish(delivery.token, .accepted(status: 200), now: 0)
            guard case .body(let bytes, _) = delivery.content else { return MessageReading(body: "") }
            return MessageReading(body: String(decoding: bytes, as: UTF8.self))
        }
        let cause = IncidentCause(.link, "eth0")
        incidents.happen(["a", "b"], .failing(cause, .path, .unreachable), at: moment.milliseconds)
        machine.take([.change(.sample(1, "a", .up, .unreachable))], now: 0)
        machine.take([.change(.sample(2, "b", .up, .unreachable)), .change(.sample(3, "alone"))], now: 0)
        let firing = try send()
        let page = incidents.incidents(IncidentQuery()).incidents
        let incident = try #require(page.first)
        for number in 0...1 {
            #expect(firing.text("$[\(number)].annotations.incident") == incident.id)
            #expect(firing.text("$[\(number)].annotations.incident_title") == incident.title)
            let url = "https://reachd.example.org/?incident=\(incident.id)"
            #expect(firing.text("$[\(number)].annotations.incident_url") == url)
            #expect(firing.text("$[\(number)].labels.incident") == nil)
        }
        #expect(firing.text("$[2].labels.target") == "alone" && firing.text("$[2].annotations.incident") == nil)
        incidents.happen(["a", "b"], .up, at: moment.milliseconds)
        machine.take([.change(.sample(4, "a", .unreachable, .up))], now: 0)
        #expect(try send().text("$[0].annotations.incident") == incident.id, "also the alert that ends")
    }

    @Test("an alert has labels, annotations, times and a link")
    func rendering() throws {
        let book = try book()
        let change = StateChange.sample(
            7,
            "a b",
            .up,
            .down,
            group: "g",
            tags: ["team": "web", "app.kubernetes.io/name": "x", "cause": "tag", "9": "n", "empty": ""]
        )
        let alert = Alert(change, settings: try settings())
        #expect(
            alert.labels == [
                "alertname": "TargetDown", "target": "a b", "group": "g", "severity": "critical", "cause": "target",
                "site": "berlin", "team": "web", "app_kubernetes_io_name": "x", "tag_cause": "tag", "_9": "n",
            ]
        )
        let sending = AlertSet.Sending(alerts: [alert], attempt: 1)
        let reading = MessageReading(body: String(decoding: book.body(sending, at: change.at), as: UTF8.self))
        #expect(reading.text("$[0].labels.alertname") == "TargetDown")
        #expect(reading.text("$[0].annotations.description") == "it does not answer")
        #expect(reading.text("$[0].startsAt") == change.at.description)
        #expect(reading.text("$[0].endsAt") == Timestamp(milliseconds: change.at.milliseconds + 240_000).description)
        #expect(reading.text("$[0].generatorURL") == "https://reachd.example.org/targets/a%20b")
    }

    @Test("an alert fires, is resent while it is active, and ends")
    func life() throws {
        var book = try book()
        book.take(.change(.sample(1, "a")))
        #expect(book.settledThrough == 0)
        #expect(names(book.next(now: 0)) == ["a TargetDown"])
        #expect(book.next(now: 0) == nil)
        _ = book.finish(.accepted(status: 200), now: 0)
        #expect(book.settledThrough == 1)
        #expect(book.deadline == 60 * second && book.next(now: 60 * second - 1) == nil)
        #expect(names(book.next(now: 60 * second)) == ["a TargetDown"])
        _ = book.finish(.accepted(status: 200), now: 60 * second)
        book.take(.change(.sample(2, "a", .down, .up, at: 90)))
        #expect(book.settledThrough == 1)
        #expect(names(book.next(now: 90 * second)) == ["a TargetDown over"])
        _ = book.finish(.accepted(status: 200), now: 90 * second)
        #expect(book.settledThrough == 2)
        // The interval runs on once, and finds nothing.
        #expect(book.next(now: 200 * second) == nil && book.deadline == nil)
    }

    @Test("alerts that do not arrive are sent again in their current state; the offset waits for them")
    func failing() throws {
        var book = try book()
        let fault = DeliveryFailure(code: "http_503", detail: "no")
        book.take(.change(.sample(1, "a")))
        book.take(.change(.sample(2, "b")))
        #expect(names(book.next(now: 0)) == ["a TargetDown", "b TargetDown"])
        book.take(.change(.sample(3, "a", .down, .up)))
        #expect(book.finish(.failed(fault, retryAfter: 9), now: 0) == .kept(fault))
        #expect(book.settledThrough == 0 && book.next(now: 9 * second - 1) == nil)
        #expect(names(book.next(now: 9 * second)) == ["a TargetDown over", "b TargetDown"])
        _ = book.finish(.accepted(status: 200), now: 9 * second)
        #expect(book.settledThrough == 3 && book.failures == 0)
    }

    @Test("another severity or cause is another alert: the old one ends")
    func changing() throws {
        var book = try book()
        book.take(.change(.sample(1, "a", .up, .degraded)))
        #expect(names(book.next(now: 0)) == ["a TargetDegraded"])
        _ = book.finish(.accepted(status: 200), now: 0)
        book.take(.change(.sample(2, "a", .degraded, .down)))
        #expect(names(book.next(now: 0)) == ["a TargetDegraded over", "a TargetDown"])
        _ = book.finish(.accepted(status: 200), now: 0)
        book.take(.change(.sample(3, "a", .down, .unreachable)))
        #expect(names(book.next(now: 0)) == ["a TargetDown over", "a TargetUnreachable"])
    }

    @Test("an alert that began and ended before it was sent is not sent, and no longer waited for")
    func unsent() throws {
        var book = try book()
        book.take(.change(.sample(1, "a", .up, .degraded)))
        book.take(.change(.sample(2, "a", .degraded, .down)))
        #expect(names(book.next(now: 0)) == ["a TargetDown"])
        _ = book.finish(.accepted(status: 200), now: 0)
        #expect(book.settledThrough == 2)
        book.take(.change(.sample(3, "b")))
        book.take(.change(.sample(4, "b", .down, .up)))
        #expect(names(book.next(now: 0)) == [])
        #expect(book.settledThrough == 4)
    }

    @Test("a target that is removed, paused or no longer meant has no alert; an unknown one keeps it")
    func ending() throws {
        var book = try book { $0.minimumSeverity = .critical }
        for (index, target) in ["a", "b", "c", "d"].enumerated() {
            book.take(.change(.sample(UInt64(index) + 1, target)))
        }
        _ = book.next(now: 0)
        _ = book.finish(.accepted(status: 200), now: 0)
        book.take(.removal(.removed(5, "a", at: 7_205_000_000)))
        book.take(.change(.sample(6, "b", .down, .paused)))
        book.take(.change(.sample(7, "c", .down, .unknown)))
        book.take(.change(.sample(8, "d", .degraded, .unreachable)))
        #expect(names(book.next(now: 0)) == ["a TargetDown over", "b TargetDown over", "d TargetDown over"])
        #expect(book.firingTargets == ["c"])
    }

    @Test("many alerts are several requests, and none is left out")
    func batches() throws {
        var book = try book()
        for number in 1...450 as ClosedRange<UInt64> { book.take(.change(.sample(number, "t\(number)"))) }
        var targets: Set<String> = []
        var counts: [Int] = []
        while let sending = book.next(now: 0) {
            counts.append(sending.alerts.count)
            targets.formUnion(sending.alerts.compactMap { $0.labels["target"] })
            _ = book.finish(.accepted(status: 200), now: 0)
        }
        #expect(counts == [200, 200, 50] && targets.count == 450 && book.settledThrough == 450)
    }

    @Test("only refusals count towards giving up")
    func refusalAfterFailures() throws {
        var book = try book()
        let fault = DeliveryFailure(code: "http_503", detail: "no")
        book.take(.change(.sample(1, "a")))
        var now: UInt64 = 0
        for _ in 1...10 {
            #expect(names(book.next(now: now)) == ["a TargetDown"])
            _ = book.finish(.failed(fault, retryAfter: nil), now: now)
            now = try #require(book.deadline)
        }
        for _ in 1...4 {
            #expect(names(book.next(now: now)) == ["a TargetDown"])
            _ = book.finish(.refused(fault), now: now)
            #expect(book.settledThrough == 0)
            now = book.deadline ?? now
        }
        let last = book.next(now: now)
        #expect(last?.attempt == 15)
        _ = book.finish(.refused(fault), now: now)
        #expect(book.settledThrough == 1 && book.waiting == 0)
    }

    @Test("a refused request is sent in parts: the alert that is at fault is found, and no other one is lost")
    func poison() throws {
        var book = try book()
        let fault = DeliveryFailure(code: "http_400", detail: "no")
        for number in 1...300 as ClosedRange<UInt64> { book.take(.change(.sample(number, "t\(number)"))) }
        var arrived: Set<String> = []
        var requests = 0
        var now: UInt64 = 0
        while arrived.count < 299, requests < 60, let time = book.deadline {
            now = max(now, time)
            let targets = (book.next(now: now)?.alerts ?? []).compactMap { $0.labels["target"] }
            requests += 1
            if targets.contains("t77") {
                _ = book.finish(.refused(fault), now: now)
            } else {
                arrived.formUnion(targets)
                _ = book.finish(.accepted(status: 200), now: now)
            }
        }
        #expect(arrived.count == 299 && !arrived.contains("t77"))
        // Found within seconds, and from then on it goes alone.
        #expect(requests < 40 && now < 3 * second)
        #expect(book.settledThrough == 76)
        var refusals = 1
        while book.settledThrough < 300, refusals < 10, let time = book.deadline {
            now = max(now, time)
            #expect(names(book.next(now: now)) == ["t77 TargetDown"])
            _ = book.finish(.refused(fault), now: now)
            refusals += 1
        }
        #expect(refusals == 5 && book.settledThrough == 300 && book.waiting == 0)
        // It goes on, so it is tried again with the others.
        let again = try #require(book.deadline)
        let next = book.next(now: again)
        #expect(next?.alerts.count == 200)
    }

    @Test("an alert of a clock that ran ahead begins now at the latest, and ends when it ends")
    func clockSetBack() throws {
        var book = try book()
        func times(_ sending: AlertSet.Sending, at seconds: Int64) -> [String?] {
            let body = book.body(sending, at: StateChange.sample(0, at: seconds).at)
            let reading = MessageReading(body: String(decoding: body, as: UTF8.self))
            return [reading.text("$[0].startsAt"), reading.text("$[0].endsAt")]
        }
        func time(_ seconds: Int64) -> String { StateChange.sample(0, at: seconds).at.description }
        book.take(.change(.sample(1, "a", at: 3600)))
        var sending = book.next(now: 0)
        let first = try #require(sending)
        #expect(times(first, at: 3601) == [time(3600), time(3841)])
        #expect(times(first, at: 10) == [time(10), time(250)])
        _ = book.finish(.accepted(status: 200), now: 0)
        book.take(.change(.sample(2, "a", .down, .up, at: 20)))
        sending = book.next(now: 0)
        let last = try #require(sending)
        #expect(times(last, at: 30) == [time(20), time(20)])
        // It was back when the clock was ahead: of the future nothing is known.
        #expect(times(last, at: 15) == [time(15), time(15)])
    }

    @Test("an alert that began and ended while the end of the one before was on its way is not ended twice")
    func endedOnce() throws {
        var book = try book()
        book.take(.change(.sample(1)))
        _ = book.next(now: 0)
        _ = book.finish(.accepted(status: 200), now: 0)
        book.take(.change(.sample(2, "db", .down, .up)))
        #expect(names(book.next(now: 0)) == ["db TargetDown over"])
        book.take(.change(.sample(3)))
        book.take(.change(.sample(4, "db", .down, .up)))
        _ = book.finish(.accepted(status: 200), now: 0)
        #expect(book.next(now: 0) == nil && book.settledThrough == 4 && book.place.open == OpenProblems())
    }

    @Test("events that are read again end an alert of an earlier run, and no other")
    func carried() throws {
        let settings = try settings()
        let receiver = ReceiverSettings(name: "am", channel: .alertmanager(settings))
        var first = AlertSet(receiver, settings, processed: 0, random: SeededGenerator(seed: 1))
        first.take(.change(.sample(1, "a")))
        _ = first.next(now: 0)
        let place = try #require(ReceiverOffset(first.place.description))
        #expect(place == first.place && place.carried == SequenceSet(1...1) && place.mark.floor == 0)
        let reported = ReportedTargets(beginning: 2) { $0 == "c" ? .removed : nil }
        var book = AlertSet(
            receiver,
            settings,
            processed: place.mark.floor,
            open: place.open,
            carried: place.carried,
            reported: reported
        )
        #expect(book.place == place, "kept again before anything was read")
        book.take(.change(.sample(1, "a")))
        book.take(.change(.sample(2, "c")))
        book.take(.change(.sample(3, "a", .down, .up)))
        book.take(.change(.sample(4, "a", .up, .down, group: "g")))
        book.take(.change(.sample(5, "a", .down, .up, group: "g")))
        #expect(names(book.next(now: 0)) == ["a TargetDown over"])
        #expect(book.next(now: 0) == nil && book.firingTargets == [])
    }

    @Test("after a restart active alerts are sent at once")
    func restarted() throws {
        let settings = try settings()
        let receiver = ReceiverSettings(name: "am", channel: .alertmanager(settings))
        var book = AlertSet(
            receiver,
            settings,
            processed: 5,
            transitions: [.sample(3, "a"), .sample(4, "b", .down, .up)]
        )
        #expect(names(book.next(now: 0)) == ["a TargetDown"])
        #expect(book.settledThrough == 5)
        _ = book.finish(.accepted(status: 200), now: 0)
        book.take(.change(.sample(6, "a", .unknown, .up)))
        #expect(names(book.next(now: 0)) == ["a TargetDown over"])
    }
}
