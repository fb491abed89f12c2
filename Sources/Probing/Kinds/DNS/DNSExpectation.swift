// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Whether an answer is what the settings expect. Pure.
enum DNSExpectation {
    static func fault(in answer: DNSAnswer, for settings: DNSProbeSettings) -> ProbeFault? {
        guard settings.expectedCodes.contains(answer.code) else {
            return ProbeFault(reason: .unexpectedResponseCode, detail: "the server answers \(answer.code)")
        }
        if settings.requiresAuthority, !answer.isAuthoritative {
            return ProbeFault(reason: .unexpectedAnswer, detail: "the server is not the authority")
        }
        let records = answer.answers.filter { $0.type == settings.type || settings.type == .any }
        if answer.code == .noError, records.count < settings.minimumAnswers {
            let detail = "\(records.count) records of type \(settings.type), \(settings.minimumAnswers) expected"
            return ProbeFault(reason: .unexpectedAnswer, detail: detail)
        }
        for pattern in settings.requiredAnswers where !answer.answers.contains(where: { pattern.matches($0.data) }) {
            return ProbeFault(reason: .unexpectedAnswer, detail: "no record matches \(pattern.text)")
        }
        for pattern in settings.refusedAnswers {
            if let record = answer.answers.first(where: { pattern.matches($0.data) }) {
                return ProbeFault(reason: .unexpectedAnswer, detail: "\(record.data) matches \(pattern.text)")
            }
        }
        return nil
    }
}

extension DNSAnswer {
    /// One line for people.
    var summary: String {
        guard let first = answers.first else { return "\(code), no records" }
        let more = answers.count > 1 ? " and \(answers.count - 1) more" : ""
        return "\(code), \(first.type) \(first.data)\(more)"
    }
}
