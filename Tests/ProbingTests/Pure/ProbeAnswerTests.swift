// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Probing

@Suite struct ProbeAnswerTests {
    private func result(_ answer: any ProbeAnswer) -> ProbeResult {
        ProbeResult(outcome: .success, detail: "at 192.0.2.9", duration: .zero, answers: ProbeAnswers([answer]))
    }

    @Test("A result with a hidden address contains no URL, no record and no server")
    func hiding() throws {
        let http = HTTPAnswer(
            status: 503,
            version: "2",
            bodySize: 7,
            isBodyComplete: false,
            contentType: "text/plain",
            redirects: 1,
            url: "https://secret.example.org/"
        )
        let hidden = try #require(result(http).hidingAddress.answers.first(HTTPAnswer.self))
        #expect(hidden.url.isEmpty && hidden.status == 503 && hidden.bodySize == 7 && hidden.redirects == 1)
        let dns = DNSAnswer(
            code: .noError,
            isAuthoritative: false,
            answers: [],
            timeToLive: 1,
            authorityCount: 0,
            additionalCount: 0
        )
        #expect(result(dns).hidingAddress.answers.all.isEmpty)
        let icmp = ICMPStatistics(roundTrips: [1_000])
        #expect(result(icmp).hidingAddress.answers == ProbeAnswers([icmp]))
        #expect(!result(icmp).hidingAddress.detail.contains("192"))
    }

    @Test("Answers are equal if they have the same facts in the same order")
    func equality() {
        let (one, other) = (ICMPStatistics(roundTrips: [1]), ICMPStatistics(roundTrips: [2]))
        #expect(ProbeAnswers([one]) == ProbeAnswers([one]) && ProbeAnswers([one]) != ProbeAnswers([other]))
        #expect(ProbeAnswers([one, other]) != ProbeAnswers([other, one]) && ProbeAnswers([one]) != ProbeAnswers())
        #expect(Set([ProbeAnswers([one]), ProbeAnswers([one]), ProbeAnswers()]).count == 2)
    }
}
