// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Makes receivers of Uptime Kuma's notifications, each for the targets that name it.
struct KumaReceivers {
    /// An imported target with the number of its monitor.
    struct Member {
        let number: Int
        let group: String?
    }

    /// The imported targets.
    private(set) var audience = (members: [Member](), targets: ReceiverAudience())
    private let notifications: [KumaRow]
    private var users: [Int: [ReceiverAudience.Member]] = [:]
    /// How long after the last one Uptime Kuma repeats a notification, in seconds, by the notification; 0 for never.
    private var repeats: [Int: Set<Int>] = [:]

    init(_ notifications: [KumaRow]) { self.notifications = notifications }

    /// Takes an imported target.
    ///
    /// - Parameter notified: The numbers of its notifications.
    mutating func take(_ id: String, _ number: Int, group: String?, _ notified: Set<Int>, _ monitor: KumaRow) {
        let target = audience.targets.add(id, group: group)
        audience.members.append(Member(number: number, group: group))
        let beats = max(0, min(monitor.integer("resend_interval") ?? 0, 100_000))
        let interval = max(1, min(monitor.integer("interval") ?? 60, 10_000_000))
        for notification in notified {
            users[notification, default: []].append(target)
            repeats[notification, default: []].insert(beats * interval)
        }
    }

    /// Adds the receivers.
    func finish(at root: YAMLNode, _ draft: inout ImportDraft) {
        for notification in notifications {
            guard let config = notification.json("config").flatMap(KumaRow.init) else {
                draft.lose(.receiver, notification.node, "a notification is not carried over: it has no configuration")
                continue
            }
            let name = notification.text("name") ?? config.text("name") ?? "notification"
            let title = NoteSubject(term: "the notification", name: name)
            guard notification.flag("active", default: true) else {
                draft.note(notification.node, "\(title) is not carried over: it is not active")
                continue
            }
            let number = notification.integer("id") ?? 0
            guard let users = users[number] else {
                draft.note(notification.node, "\(title) is not carried over: no imported target has it")
                continue
            }
            if notification.flag("is_default") {
                let words: NoteText = "is_default is not carried over: its receiver is for the targets that have it now"
                draft.note(notification.node, "\(title): \(words)")
            }
            receiver(notification, config, title, name, users, repeats[number] ?? [], &draft)
        }
    }

    private func receiver(
        _ notification: KumaRow,
        _ config: KumaRow,
        _ title: NoteSubject,
        _ name: String,
        _ users: [ReceiverAudience.Member],
        _ repeats: Set<Int>,
        _ draft: inout ImportDraft
    ) {
        let id = draft.unique(name)
        let type = config.text("type") ?? ""
        let made = KumaProvider(type, config, name: id)
        guard let channel = made.channel else {
            let words: NoteText = "reachd has no such service"
            return draft.lose(
                .receiver,
                notification.node,
                "\(title) of the type \(same: type.quoted) is not carried over: \(words)"
            )
        }
        var pairs: [(String, YAMLText)] = [("name", .text(id)), (channel.name, .mapping(channel.keys))]
        if let filter = audience.targets.filter(users) { pairs.append(("filter", .mapping([filter]))) }
        if repeats.count == 1, let seconds = repeats.first, seconds > 0 {
            pairs.append(("remind", .word("\(max(60, min(seconds, 604_800)))s")))
        } else if repeats.count > 1 {
            let words: NoteText = "its targets are resent at different intervals, but a receiver has one remind"
            draft.lose(.setting, notification.node, "\(title): resend_interval is not carried over: \(words)")
        }
        for loss in made.losses { draft.note(notification.node, "\(title): \(same: loss)") }
        let subject = NoteSubject(term: "the receiver", name: id)
        if draft.add(.mapping(pairs), to: "notify", name: subject, at: notification.node) {
            for secret in made.secrets {
                draft.note(notification.node, "put the value of \(same: secret.key) in the file \(secret.file)")
            }
        } else {
            draft.lose(.receiver, notification.node, "\(title) is not carried over")
        }
    }
}
