// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What went wrong with a request; raw values end the `type` of a problem document and never change.
enum ProblemKind: String, CaseIterable {
    case badEncoding = "bad_encoding"
    case invalidParameter = "invalid_parameter"
    case unknownRoute = "unknown_route"
    case unknownTarget = "unknown_target"
    case methodNotAllowed = "method_not_allowed"
    case misdirectedRequest = "misdirected_request"
    case tooManyStreams = "too_many_streams"

    var status: Int {
        switch self {
        case .badEncoding, .invalidParameter: 400
        case .unknownRoute, .unknownTarget: 404
        case .methodNotAllowed: 405
        case .misdirectedRequest: 421
        case .tooManyStreams: 503
        }
    }

    var title: String {
        switch self {
        case .badEncoding: "The path is not valid percent-encoded UTF-8 text"
        case .invalidParameter: "The query is wrong"
        case .unknownRoute: "There is no such route"
        case .unknownTarget: "There is no such target"
        case .methodNotAllowed: "The route does not know the method"
        case .misdirectedRequest: "The request was not meant for this server"
        case .tooManyStreams: "There are too many streams"
        }
    }
}
