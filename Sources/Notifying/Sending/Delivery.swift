// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// A request that is to be made now.
struct Delivery: Sendable {
    /// What is sent.
    enum Content: Sendable {
        /// The body as it is, to the receiver's URL, or another one at its server.
        case body([UInt8], url: HTTPURL? = nil)
        /// What the receiver's service makes a request of; it may need secrets, which are read for each.
        case message(Message)
        /// A mail.
        case mail(Mail)
        /// Nothing: why the message cannot be sent.
        case invalid(DeliveryFailure)
    }

    /// Names it to the machine that made it.
    let token: UInt64
    let content: Content
    /// For receivers that know a message by its id.
    let id: String?
    /// 1 for the first.
    let attempt: Int
}

extension Delivery {
    /// A message of the queue for a channel.
    init(_ sending: MessageQueue.Sending, to channel: ReceiverSettings.Channel) {
        self.init(
            token: sending.token,
            content: channel.content(of: sending.message),
            id: sending.message.id,
            attempt: sending.attempt
        )
    }
}

/// What came of a try.
enum SendOutcome: Sendable, Hashable {
    /// 2xx.
    case accepted(status: Int)
    /// The receiver does not want it: 1xx, 3xx, and 4xx but for those that ask to come again.
    case refused(DeliveryFailure)
    /// It may go well another time, in so many seconds at the earliest if the receiver said so.
    case failed(DeliveryFailure, retryAfter: UInt64?)

    /// Judges an answer (RFC 9110, section 15).
    init(status: Int, retryAfter: UInt64?) {
        let failure = DeliveryFailure(code: "http_\(status)", detail: "the receiver answers \(status)")
        switch status {
        case 200..<300: self = .accepted(status: status)
        case 408, 425, 429, 500...: self = .failed(failure, retryAfter: retryAfter)
        default: self = .refused(failure)
        }
    }
}

extension SendOutcome {
    /// Judges what came of a mail by the last reply (RFC 5321, section 4.2.1): 4yz asks to come again.
    init(_ result: ProbeResult, _ reply: MailReply?) {
        switch reply {
        case let reply? where reply.code < 400: self = .accepted(status: reply.code)
        case let reply?:
            let failure = DeliveryFailure(code: "smtp_\(reply.code)", detail: result.detail)
            self = reply.code >= 500 ? .refused(failure) : .failed(failure, retryAfter: nil)
        case nil:
            let code = result.reason?.rawValue ?? "system_error"
            self = .failed(DeliveryFailure(code: code, detail: result.detail), retryAfter: nil)
        }
    }
}

/// Why a message did not arrive.
package struct DeliveryFailure: Sendable, Hashable {
    /// A stable code: that of a probe's reason, or `http_` and the status, or `smtp_` and the reply's code.
    package let code: String
    /// One line for people, without secrets.
    package let detail: String

    init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
