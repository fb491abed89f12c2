// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Testing

@testable import Notifying

/// The requests that services take, as their makers describe them; the files of the services have the addresses.
@Suite("Requests to messaging services") struct ServiceRequestTests {
    private let scene: ServiceScene

    init() throws { scene = try ServiceScene() }

    private func reading(_ request: ServiceRequest) -> MessageReading {
        MessageReading(body: String(decoding: request.body, as: UTF8.self))
    }

    @Test("ntfy: a topic's message as JSON at the root, with priority, tag and click")
    func ntfy() throws {
        let request = try scene.request(.down(), .ntfy)
        let json = reading(request)
        #expect(request.method == "POST" && request.url.target == "/")
        #expect(request.headers.map { "\($0.name): \($0.value)" } == ["Authorization: Bearer s3cret"])
        #expect(json.text("$.topic") == "my-topic" && json.text("$.title") == "Database is down")
        #expect(json.text("$.message")?.hasPrefix("connect: Connection refused\nCause: the target itself\n") == true)
        #expect(json.number("$.priority") == 5 && json.text("$.tags[0]") == "red_circle")
        #expect(json.text("$.click") == "https://reachd.example.org/#db")
        let over = reading(try scene.request(.up().of(.closed), .ntfy))
        #expect(over.number("$.priority") == 3 && over.text("$.tags[0]") == "green_circle")
        let title = "Resolved: Database is down: connection refused (down for 4 min)"
        #expect(over.text("$.title") == title && over.text("$.message") == title)
        let sequences = try MessageIncident.Phase.allCases.map { phase in
            reading(try scene.request(.down().of(phase), .ntfy)).text("$.sequence_id")
        }
        #expect(sequences == ["i-7", nil, "i-7", nil, "i-7"] && over.text("$.sequence_id") == "i-7")
    }

    @Test("Telegram: sendMessage of the token's bot, in HTML, in a topic")
    func telegram() throws {
        let request = try scene.request(.down(name: "<b>&"), .telegram)
        let json = reading(request)
        #expect(request.url.target == "/bots3cret/sendMessage")
        #expect(json.text("$.chat_id") == "-1001" && json.number("$.message_thread_id") == 17)
        #expect(json.text("$.parse_mode") == "HTML")
        let text = try #require(json.text("$.text"))
        #expect(text.hasPrefix("🔴 <b>&lt;b&gt;&amp; is down</b>\nconnect: Connection refused\n"))
        #expect(text.hasSuffix("\n<a href=\"https://reachd.example.org/#db\">Open in reachd</a>"))
    }

    @Test("Discord: an embed without mentions")
    func discord() throws {
        let request = try scene.request(.down(detail: "@everyone"), .discord)
        let json = reading(request)
        #expect(request.url.description == "http://127.0.0.1:1/hooks/t0k3n")
        #expect(String(decoding: request.body, as: UTF8.self).contains(#""allowed_mentions":{"parse":[]}"#))
        #expect(json.text("$.username") == "my-username" && json.text("$.embeds[0].title") == "🔴 Database is down")
        #expect(json.text("$.embeds[0].description") == "@everyone" && json.number("$.embeds[0].color") == 0xD1242F)
        #expect(json.text("$.embeds[0].timestamp") == StateChange.sample(7).at.description)
        #expect(json.text("$.embeds[0].fields[0].name") == "Cause")
        #expect(json.text("$.embeds[0].fields[1].value") == "192.0.2.1")
        #expect(json.text("$.embeds[0].fields[2].value") == "192.0.2.9")
    }

    @Test("Slack: a coloured section whose text cannot mention, and a text for notifications")
    func slack() throws {
        let json = reading(try scene.request(.down(detail: "<!channel> & <https://a|b> isn't \"it\""), .slack))
        #expect(json.text("$.text") == "🔴 Database is down" && json.text("$.attachments[0].color") == "#d1242f")
        #expect(json.text("$.attachments[0].blocks[0].type") == "section")
        #expect(json.text("$.attachments[0].blocks[0].text.type") == "mrkdwn")
        let text = try #require(json.text("$.attachments[0].blocks[0].text.text"))
        #expect(text.hasPrefix("*<https://reachd.example.org/#db|Database is down>*\n"))
        // Slack shows other entities as they are.
        #expect(text.contains("&lt;!channel&gt; &amp; &lt;https://a|b&gt; isn't \"it\""))
    }

    @Test("Mattermost: an attachment with fields")
    func mattermost() throws {
        let json = reading(try scene.request(.down(detail: "@all"), .mattermost))
        #expect(json.text("$.channel") == "my-channel" && json.text("$.attachments[0].title") == "🔴 Database is down")
        #expect(json.text("$.attachments[0].title_link") == "https://reachd.example.org/#db")
        #expect(json.text("$.attachments[0].text") == "@\u{200B}all")
        #expect(json.text("$.attachments[0].fields[3].value") == "core")
    }

    @Test("Teams: an adaptive card")
    func teams() throws {
        let json = reading(try scene.request(.down(), .teams))
        let card = "$.attachments[0].content"
        #expect(json.text("$.type") == "message")
        #expect(json.text("$.attachments[0].contentType") == "application/vnd.microsoft.card.adaptive")
        #expect(json.text("\(card).type") == "AdaptiveCard" && json.text("\(card).version") == "1.4")
        #expect(json.text("\(card).body[0].text") == "🔴 Database is down")
        #expect(json.text("\(card).body[0].color") == "Attention")
        #expect(json.text("\(card).body[1].text") == "connect: Connection refused")
        #expect(json.text("\(card).body[2].facts[0].title") == "Cause")
        #expect(json.text("\(card).actions[0].url") == "https://reachd.example.org/#db")
    }

    @Test("Matrix: an event of the room, whose transaction is the message's id")
    func matrix() throws {
        let request = try scene.request(.down(name: "<i>"), .matrix)
        let json = reading(request)
        #expect(request.method == "PUT")
        #expect(
            request.url.target
                == "/_matrix/client/v3/rooms/%21abc%3Aexample.org/send/m.room.message/reachd-e-7"
        )
        #expect(request.headers.map(\.value) == ["Bearer s3cret"])
        #expect(json.text("$.msgtype") == "m.text" && json.text("$.format") == "org.matrix.custom.html")
        #expect(json.text("$.body")?.hasPrefix("🔴 <i> is down\nconnect: Connection refused\n") == true)
        #expect(json.text("$.formatted_body")?.hasPrefix("<strong>🔴 &lt;i&gt; is down</strong><br>connect") == true)
    }

    @Test("Pushover: a form")
    func pushover() throws {
        let request = try scene.request(.down(name: "a&b=ü"), .pushover)
        #expect(request.url.target == "/1/messages.json")
        #expect(request.contentType == "application/x-www-form-urlencoded")
        let pairs = String(decoding: request.body, as: UTF8.self).split(separator: "&")
        #expect(pairs.prefix(3) == ["token=s3cret", "user=s3cret", "device=my-device"])
        #expect(pairs[3] == "title=%F0%9F%94%B4%20a%26b%3D%C3%BC%20is%20down")
        #expect(pairs.contains("priority=1") && pairs.contains("url=https%3A%2F%2Freachd.example.org%2F%23db"))
    }

    @Test("Gotify: an application's message")
    func gotify() throws {
        let request = try scene.request(.down(), .gotify)
        let json = reading(request)
        #expect(request.url.target == "/message")
        #expect(request.headers.map { "\($0.name): \($0.value)" } == ["X-Gotify-Key: s3cret"])
        #expect(json.text("$.title") == "🔴 Database is down" && json.number("$.priority") == 8)
        #expect(json.text("$.extras['client::notification'].click.url") == "https://reachd.example.org/#db")
    }

    @Test("PagerDuty: an incident's messages trigger, acknowledge and resolve one alert")
    func pagerDuty() throws {
        let request = try scene.request(.down().of(.opened), .pagerduty)
        let json = reading(request)
        #expect(request.url.target == "/v2/enqueue" && request.headers.isEmpty)
        #expect(json.text("$.routing_key") == "s3cret" && json.text("$.event_action") == "trigger")
        #expect(json.text("$.dedup_key") == "i-7" && json.text("$.client") == "reachd")
        #expect(json.text("$.payload.summary") == "Database is down: connection refused")
        #expect(json.text("$.payload.source") == "Database" && json.text("$.payload.component") == "db")
        #expect(json.text("$.payload.severity") == "critical" && json.text("$.payload.class") == "target")
        #expect(json.text("$.payload.timestamp") == StateChange.sample(7).at.description)
        #expect(json.text("$.payload.group") == "core")
        #expect(json.text("$.payload.custom_details.Message") == "connect: Connection refused")
        #expect(json.text("$.payload.custom_details['Reported by']") == "192.0.2.1")
        #expect(json.text("$.links[0].href") == "https://reachd.example.org/?incident=7")
        #expect(json.text("$.client_url") == "https://reachd.example.org/?incident=7")
        for phase in [MessageIncident.Phase.updated, .reminder] {
            let more = reading(try scene.request(.down().of(phase), .pagerduty))
            #expect(more.text("$.event_action") == "trigger" && more.text("$.dedup_key") == "i-7")
        }
        for (phase, word) in [(MessageIncident.Phase.acknowledged, "acknowledge"), (.closed, "resolve")] {
            let request = try scene.request(.up().of(phase), .pagerduty)
            #expect(
                String(decoding: request.body, as: UTF8.self)
                    == #"{"routing_key":"s3cret","event_action":"\#(word)","dedup_key":"i-7"}"#
            )
        }
    }

    @Test("Opsgenie: an incident's messages create, acknowledge and close one alert")
    func opsgenie() throws {
        let request = try scene.request(.down().of(.opened), .opsgenie)
        let json = reading(request)
        #expect(request.url.target == "/v2/alerts")
        #expect(request.headers.map { "\($0.name): \($0.value)" } == ["Authorization: GenieKey s3cret"])
        #expect(json.text("$.message") == "Database is down: connection refused" && json.text("$.alias") == "i-7")
        #expect(json.text("$.priority") == "P1" && json.text("$.source") == "reachd")
        #expect(json.text("$.entity") == "Database" && json.text("$.tags[0]") == "core")
        #expect(json.text("$.tags[1]") == "target" && json.text("$.details.Cause") == "the target itself")
        #expect(
            json.text("$.description")?.hasSuffix("\nOpen in reachd: https://reachd.example.org/?incident=7") == true
        )
        for (phase, word) in [(MessageIncident.Phase.acknowledged, "acknowledge"), (.closed, "close")] {
            let request = try scene.request(.up().of(phase), .opsgenie)
            #expect(request.url.target == "/v2/alerts/i-7/\(word)?identifierType=alias")
            #expect(reading(request).text("$.note")?.contains("Database is down") == true)
        }
    }

    @Test("The messages of an incident have its key, and others their own id")
    func keys() throws {
        let (down, up) = (MessageCard(.down().of(.opened)), MessageCard(.up().of(.closed)))
        #expect(down.key == "i-7" && up.key == "i-7" && down.action == .open && up.action == .close)
        let other = MessageCard(Message(.sample(1)))
        #expect(other.key == other.id && other.action == .open)
    }

    @Test("The title of an incident's message has its phase, and at the end how long it lasted")
    func titles() throws {
        func title(_ phase: MessageIncident.Phase, _ message: Message = .down()) -> String {
            MessageCard(message.of(phase)).markedTitle
        }
        #expect(title(.opened) == "🔴 Database is down: connection refused")
        #expect(title(.updated) == "🔴 Update: Database is down: connection refused")
        #expect(title(.acknowledged) == "🔵 Acknowledged: Database is down: connection refused")
        #expect(title(.reminder) == "🔴 Still open: Database is down: connection refused (for less than a second)")
        #expect(title(.closed, .up()) == "🟢 Resolved: Database is down: connection refused (down for 4 min)")
        let outage = Message.outage(200)
        let closed = Message.outage(200, isOver: true)
        #expect(title(.closed, closed) == "🟢 Resolved: eth0 lost its carrier: 200 targets unreachable (lasted 4 min)")
        #expect(MessageCard(outage.of(.updated)).lines.contains("Failing now: 200 of 200 targets"))
        #expect(MessageCard(.test(at: StateChange.sample(1).at)).title == "Test of reachd")
    }

    @Test("An incident's duration ends with the incident, or with the message while it is open")
    func durations() throws {
        let open = try #require(Message.down().of(.updated).incident)
        #expect(open.duration(at: Timestamp(milliseconds: open.openedAt.milliseconds + 93_600_000)) == "1 day 2 h")
        #expect(open.duration(at: Timestamp(milliseconds: open.openedAt.milliseconds - 5_000)) == "less than a second")
        #expect(open.duration(at: Timestamp(milliseconds: .min)) == "less than a second")
        let closed = try #require(Message.up().of(.closed).incident)
        #expect(closed.duration(at: Timestamp(milliseconds: .max)) == "4 min")
    }

    @Test("An outage names some of its targets, and its end what it was")
    func kinds() throws {
        let outage = MessageCard(.outage(200).of(.opened))
        #expect(outage.look == .warning && outage.title == "eth0 lost its carrier: 200 targets unreachable")
        #expect(outage.sentence == "no route (link eth0)")
        #expect(outage.lines[1].hasSuffix("t9, t10 and 190 more"))
        #expect(outage.lines[2] == "Cause: this machine's network or its uplink" && outage.link == nil)
        let over = MessageCard(.outage(2, isOver: true).of(.closed), externalURL: "http://a")
        #expect(
            over.look == .resolved && over.title.hasPrefix("Resolved: eth0 lost its carrier") && over.sentence == nil
        )
        #expect(over.link == "http://a/?incident=7")
        #expect(MessageCard(.test(at: StateChange.sample(1).at)).title == "Test of reachd")
    }

    @Test("However long and hostile the texts are, each service's limits hold", arguments: MessagingService.all)
    func limits(_ service: MessagingService) throws {
        let texts = [
            String(repeating: "x", count: 5_000), String(repeating: "&<>\"", count: 2_000),
            String(repeating: "🔴", count: 3_000),
            "e" + String(repeating: "\u{0301}", count: 9_000), "\u{0}\u{1B}[2J\n@everyone <!here> [a](b) *c*",
        ]
        for text in texts {
            let request = try scene.request(.down(text, name: text, group: text, detail: text), service)
            let json = reading(request)
            #expect(request.body.count < 40_000)
            guard service.name != "pushover" else { continue }
            #expect(json.isJSON)
            func length(_ path: String) -> Int { json.text(path)?.utf16.count ?? 0 }
            switch service.name {
            case "ntfy": #expect(length("$.title") <= 250 && (json.text("$.message")?.utf8.count ?? 0) <= 4_096)
            case "telegram":
                let lines = try #require(json.text("$.text")).split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.map(\.withoutEntities.utf16.count).reduce(0, +) <= 4_000)
            case "discord":
                #expect(length("$.embeds[0].title") <= 256 && length("$.embeds[0].description") <= 4_096)
                #expect((0..<25).allSatisfy { length("$.embeds[0].fields[\($0)].value") <= 1_024 })
            case "pagerduty":
                #expect(length("$.payload.summary") <= 1_024 && length("$.payload.group") <= 255)
                #expect(length("$.dedup_key") <= 255)
            case "opsgenie":
                #expect(length("$.message") <= 130 && length("$.description") <= 15_000)
                #expect(length("$.tags[0]") <= 50 && length("$.entity") <= 512)
            case "slack": #expect(length("$.attachments[0].blocks[0].text.text") <= 3_000)
            default: break
            }
        }
    }

    @Test("A file that cannot be read, and one without a URL, are the reasons; neither content nor address is shown")
    func unreadable() throws {
        var settings = try scene.settings(.discord)
        settings.urlFile = "/nonexistent/hook"
        #expect(throws: (any Error).self) { try MessagingService.request(.up(), to: settings, secrets: .init()) }
        var wrong = try scene.settings(.slack)
        wrong.urlFile = try scene.settings(.ntfy).texts["token_file"]
        do {
            _ = try MessagingService.request(.up(), to: wrong, secrets: .init())
            Issue.record("a secret is not a URL")
        } catch {
            #expect(error.detail.hasSuffix("ntfy-token_file is not a URL") && !error.detail.contains("s3cret"))
        }
    }
}

extension MessagingService: CustomTestStringConvertible {
    /// The name.
    public var testDescription: String { name }
}

extension Substring {
    /// Each entity as one character.
    fileprivate var withoutEntities: String {
        ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"].reduce(String(self)) { text, entity in
            text.split(separator: entity, omittingEmptySubsequences: false).joined(separator: "x")
        }
    }
}
