// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import JSON
import LinuxIO

/// The expectations for a response.
package struct HTTPExpectation: Sendable, Hashable {
    /// The expected statuses.
    package var statuses: HTTPStatusRanges
    /// The expectations for headers.
    package var headers: [HTTPHeaderExpectation]
    /// The expectations for the body, as far as it is read.
    package var body: [HTTPBodyExpectation]
    /// The expectations for the body as JSON.
    package var json: [JSONExpectation]
    /// Whether the response must come over TLS, or without; nil for either.
    package var isSecure: Bool?
    /// Whether the body is compared as it comes, not as the text that its charset makes of it.
    package var comparesBytes: Bool
    /// Whether a body above ``HTTPProbeSettings/bodyLimit`` is a failure.
    package var refusesLargerBody: Bool

    /// Creates an expectation; everything has a default.
    package init(
        statuses: HTTPStatusRanges = .successful,
        headers: [HTTPHeaderExpectation] = [],
        body: [HTTPBodyExpectation] = [],
        json: [JSONExpectation] = [],
        isSecure: Bool? = nil,
        comparesBytes: Bool = false,
        refusesLargerBody: Bool = false
    ) {
        self.statuses = statuses
        self.headers = headers
        self.body = body
        self.json = json
        self.isSecure = isSecure
        self.comparesBytes = comparesBytes
        self.refusesLargerBody = refusesLargerBody
    }

    /// Whether checking a response needs its headers.
    var needsHeaders: Bool { !headers.isEmpty }
    var needsBody: Bool { !body.isEmpty || !json.isEmpty }
}

/// Status ranges, `200-299,304`.
package struct HTTPStatusRanges: Sendable, Hashable {
    /// The ranges, in the order of the text.
    package let ranges: [ClosedRange<Int>]

    /// The default: 200 to 299.
    package static let successful = HTTPStatusRanges(ranges: [200...299])

    /// Creates ranges.
    package init(ranges: [ClosedRange<Int>]) {
        self.ranges = ranges
    }

    /// Parses comma-separated numbers and ranges from 100 to 999; nil for anything else.
    package init?(_ text: String) {
        var ranges: [ClosedRange<Int>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(Self.status)
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last else {
                return nil
            }
            ranges.append(first...last)
        }
        self.init(ranges: ranges)
    }

    /// Returns whether a status is in one of the ranges.
    package func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }

    private static func status(_ text: Substring) -> Int? {
        let digits = text.drop { $0 == " " }.prefix { $0 != " " }
        guard text.allSatisfy({ $0 == " " || ("0"..."9").contains($0) }), digits.utf8.count == 3 else { return nil }
        return Int(digits).flatMap { $0 >= 100 ? $0 : nil }
    }
}

extension HTTPStatusRanges: CustomStringConvertible {
    /// The text that ``init(_:)`` parses.
    package var description: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }
}

/// The expectation for a header of a response.
package struct HTTPHeaderExpectation: Sendable, Hashable {
    /// The condition.
    package enum Condition: Sendable, Hashable {
        /// The header is present.
        case present
        /// The header is absent.
        case absent
        /// The header is present and one of its values matches.
        case matches(ProbePattern)
        /// None of its values matches, or the header is absent.
        case doesNotMatch(ProbePattern)
    }

    /// The header's name, in any case.
    package var name: String
    /// The condition.
    package var condition: Condition

    /// Creates an expectation.
    package init(_ name: String, _ condition: Condition) {
        self.name = name
        self.condition = condition
    }

    /// Returns a description of the mismatch; nil when the values are as expected.
    func mismatch(about values: [[UInt8]]) -> String? {
        switch condition {
        case .present: values.isEmpty ? "there is no header \(name)" : nil
        case .absent: values.isEmpty ? nil : "there is a header \(name)"
        case .matches(let pattern):
            if values.isEmpty {
                "there is no header \(name)"
            } else if values.contains(where: pattern.matches) {
                nil
            } else {
                "the header \(name) is \(PrintableBytes.quote(values[0]))"
            }
        case .doesNotMatch(let pattern):
            values.first(where: pattern.matches).map { "the header \(name) is \(PrintableBytes.quote($0))" }
        }
    }
}

/// An expectation for the body of a response.
package enum HTTPBodyExpectation: Sendable, Hashable {
    /// The body contains the text.
    case contains(String)
    /// The body does not contain the text.
    case doesNotContain(String)
    /// The body matches.
    case matches(ProbePattern)
    /// The body does not match.
    case doesNotMatch(ProbePattern)

    /// Returns a description of the mismatch; nil when the body is as expected.
    func mismatch(about body: [UInt8]) -> String? {
        switch self {
        case .contains(let text):
            ByteSearch.contains(body, Array(text.utf8)) ? nil : "\(PrintableBytes.quote(text.utf8)) is not in the body"
        case .doesNotContain(let text):
            ByteSearch.contains(body, Array(text.utf8)) ? "\(PrintableBytes.quote(text.utf8)) is in the body" : nil
        case .matches(let pattern):
            pattern.matches(body) ? nil : "the body does not match \(PrintableBytes.quote(pattern.text.utf8))"
        case .doesNotMatch(let pattern):
            pattern.matches(body) ? "the body matches \(PrintableBytes.quote(pattern.text.utf8))" : nil
        }
    }
}

/// Searches bytes for a text in linear time.
enum ByteSearch {
    static func contains(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
        unsafe reachd_contains(bytes, bytes.count, text, text.count) != 0
    }
}

/// Checks a response against the expectation. Pure.
enum HTTPResponseCheck {
    /// Returns the first fault in the order TLS, status, headers, body, JSON; nil without a fault.
    ///
    /// - Parameter isSecure: Whether the response came over TLS.
    static func fault(
        of response: CurlResponse,
        isSecure: Bool,
        by expectation: HTTPExpectation
    ) -> ProbeFault? {
        if let wanted = expectation.isSecure, wanted != isSecure {
            let detail = isSecure ? "the response came over TLS" : "the response came without TLS"
            return ProbeFault(reason: .unexpectedResponse, detail: detail)
        }
        guard expectation.statuses.contains(response.status) else {
            return ProbeFault(
                reason: .unexpectedStatus,
                detail: "the status is \(response.status), not \(expectation.statuses)"
            )
        }
        for wanted in expectation.headers {
            if let mismatch = wanted.mismatch(about: response.values(of: wanted.name)) {
                return ProbeFault(reason: .unexpectedHeader, detail: mismatch)
            }
        }
        if response.stop == .bodyLimit, expectation.refusesLargerBody {
            return ProbeFault(reason: .bodyTooLarge, detail: "the body has more than \(response.bodySize) bytes")
        }
        guard expectation.needsBody else { return nil }
        if let words = response.foreignEncoding { return ProbeFault(reason: .badContentEncoding, detail: words) }
        let body =
            expectation.comparesBytes
            ? response.body : BodyText.text(response.body, contentType: response.contentType)
        for wanted in expectation.body {
            if let mismatch = wanted.mismatch(about: body) {
                return ProbeFault(reason: .unexpectedBody, detail: mismatch + suffix(response))
            }
        }
        for wanted in expectation.json {
            do throws(JSONError) {
                if let mismatch = wanted.mismatch(about: try wanted.path.find(in: body), in: body) {
                    return ProbeFault(reason: .unexpectedJSON, detail: mismatch)
                }
            } catch {
                let words =
                    error.code == .syntax ? "is not JSON from byte \(error.offset)" : "as JSON: \(error.message)"
                let detail = "the body \(words)" + suffix(response)
                return ProbeFault(reason: .unexpectedJSON, detail: detail)
            }
        }
        return nil
    }

    private static func suffix(_ response: CurlResponse) -> String {
        response.stop == .bodyLimit ? ", of which only \(response.bodySize) bytes were read" : ""
    }
}
