// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// The page for people: a document and the files that it loads, embedded at build so that a static binary carries them. They hold
/// no data; what they show they ask the other routes for, as any client does.
final class Page: Sendable {
    private let answers: [PageFile: PreparedAnswer]

    init() {
        answers = Dictionary(
            uniqueKeysWithValues: PageFile.allCases.map { file in
                (file, PreparedAnswer(constant: file.bytes, type: file.type, extra: Self.policy))
            }
        )
    }

    /// The document.
    func document(_ request: HTTPRequest) -> HTTPResponse { answer(.document, request) }

    /// One of the files beside it, by its name; the document has no second address.
    func file(_ name: String, _ request: HTTPRequest) -> HTTPResponse {
        guard let file = PageFile(rawValue: name), file != .document else {
            return Problem.unknownRoute("/page/" + name).response
        }
        return answer(file, request)
    }

    private func answer(_ file: PageFile, _ request: HTTPRequest) -> HTTPResponse {
        answers[file]?.response(to: request) ?? Problem.unknownRoute("/page/" + file.rawValue).response
    }

    /// Nothing but our own files is loaded, nothing inline is run, no text becomes markup (Trusted Types), nobody frames it,
    /// and nobody is told where it was left from: filters may name what is watched.
    private static let policy = [
        HTTPHeader(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        HTTPHeader("Referrer-Policy", "no-referrer"), HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
        HTTPHeader("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
