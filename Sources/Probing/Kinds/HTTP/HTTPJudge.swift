// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// Whether a response is what is expected. Pure.
enum HTTPJudge {
    /// The first thing that is wrong: the status, then headers, body and JSON; nil for nothing.
    static func fault(of response: CurlResponse, by expectation: HTTPExpectation) -> ProbeFault? {
        guard expectation.statuses.contains(response.status) else {
            return ProbeFault(
                reason: .unexpectedStatus,
                detail: "the status is \(response.status), not \(expectation.statuses)"
            )
        }
        for wanted in expectation.headers {
            if let complaint = wanted.complaint(about: response.values(of: wanted.name)) {
                return ProbeFault(reason: .unexpectedHeader, detail: complaint)
            }
        }
        if response.stop == .bodyLimit, expectation.refusesLargerBody {
            return ProbeFault(reason: .bodyTooLarge, detail: "the body has more than \(response.bodySize) bytes")
        }
        for wanted in expectation.body {
            if let complaint = wanted.complaint(about: response.body) {
                return ProbeFault(reason: .unexpectedBody, detail: complaint + suffix(response))
            }
        }
        for wanted in expectation.json {
            do throws(JSONError) {
                if let complaint = wanted.complaint(about: try wanted.path.find(in: response.body)) {
                    return ProbeFault(reason: .unexpectedJSON, detail: complaint)
                }
            } catch {
                let detail = "the body is not JSON from byte \(error.offset)" + suffix(response)
                return ProbeFault(reason: .unexpectedJSON, detail: detail)
            }
        }
        return nil
    }

    private static func suffix(_ response: CurlResponse) -> String {
        response.stop == .bodyLimit ? ", of which only \(response.bodySize) bytes were read" : ""
    }
}
