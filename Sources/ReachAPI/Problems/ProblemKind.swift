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
    case unauthorized
    case forbidden
    case tooManyWrites = "too_many_writes"
    case noProbe = "no_probe"
    // What the server refuses before a route is asked.
    case malformedRequest = "malformed_request"
    case requestTimeout = "request_timeout"
    case bodyTooLarge = "body_too_large"
    case headerTooLarge = "header_too_large"
    case internalError = "internal_error"
    case notImplemented = "not_implemented"
    case overloaded

    /// The kinds of what the server refuses.
    static let refusals: [ProblemKind] = [
        .malformedRequest, .requestTimeout, .bodyTooLarge, .headerTooLarge, .internalError, .notImplemented,
        .overloaded,
    ]

    var status: Int {
        switch self {
        case .badEncoding, .invalidParameter, .malformedRequest: 400
        case .unknownRoute, .unknownTarget: 404
        case .methodNotAllowed: 405
        case .unauthorized: 401
        case .forbidden: 403
        case .tooManyWrites: 429
        case .noProbe: 409
        case .misdirectedRequest: 421
        case .requestTimeout: 408
        case .bodyTooLarge: 413
        case .headerTooLarge: 431
        case .internalError: 500
        case .notImplemented: 501
        case .overloaded: 503
        }
    }

    var title: String {
        switch self {
        case .badEncoding: "The path is not valid percent-encoded UTF-8 text"
        case .invalidParameter: "The query is wrong"
        case .unknownRoute: "There is no such route"
        case .unknownTarget: "There is no such target"
        case .methodNotAllowed: "The route does not know the method"
        case .unauthorized: "The request shows no token that is known"
        case .forbidden: "The request is not allowed"
        case .tooManyWrites: "There are too many changes"
        case .noProbe: "The target has no such probe"
        case .misdirectedRequest: "The request was not meant for this server"
        case .malformedRequest: "The request is malformed"
        case .requestTimeout: "The request took too long"
        case .bodyTooLarge: "The body is too large"
        case .headerTooLarge: "The header fields are too large"
        case .internalError: "The server failed"
        case .notImplemented: "The server cannot do this"
        case .overloaded: "The server has no room for the request now"
        }
    }
}
