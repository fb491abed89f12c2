// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The kinds of problems; raw values end the `type` of a problem document and never change.
enum ProblemKind: String, CaseIterable {
    case badEncoding = "bad_encoding"
    case invalidParameter = "invalid_parameter"
    case unknownRoute = "unknown_route"
    case unknownTarget = "unknown_target"
    case unknownModule = "unknown_module"
    case unknownIncident = "unknown_incident"
    case methodNotAllowed = "method_not_allowed"
    case unexpectedBody = "unexpected_body"
    case misdirectedRequest = "misdirected_request"
    case unauthorized
    case forbidden
    case tooManyWrites = "too_many_writes"
    case noProbe = "no_probe"
    case noTraffic = "no_traffic"
    case invalidTarget = "invalid_target"
    case invalidConfiguration = "invalid_configuration"
    case invalidIncidentChange = "invalid_incident_change"
    case malformedBody = "malformed_body"
    case unsupportedMediaType = "unsupported_media_type"
    case targetExists = "target_exists"
    case targetInUse = "target_in_use"
    case readOnlyTarget = "read_only_target"
    case tooManyTargets = "too_many_targets"
    case preconditionFailed = "precondition_failed"
    case notPersisted = "not_persisted"
    case insufficientStorage = "insufficient_storage"
    case noHistory = "no_history"
    case historyUnavailable = "history_unavailable"
    case fleetUnavailable = "fleet_unavailable"
    case unknownNode = "unknown_node"
    // The problems that the server reports before routing.
    case malformedRequest = "malformed_request"
    case requestTimeout = "request_timeout"
    case bodyTooLarge = "body_too_large"
    case headerTooLarge = "header_too_large"
    case internalError = "internal_error"
    case notImplemented = "not_implemented"
    case overloaded

    /// The kinds that the server reports itself.
    static let refusals: [ProblemKind] = [
        .malformedRequest, .requestTimeout, .bodyTooLarge, .headerTooLarge, .internalError, .notImplemented,
        .overloaded,
    ]

    var status: Int {
        switch self {
        case .badEncoding, .invalidParameter, .malformedRequest, .malformedBody, .unexpectedBody: 400
        case .unknownRoute, .unknownTarget, .unknownModule, .unknownIncident, .unknownNode: 404
        case .methodNotAllowed: 405
        case .unauthorized: 401
        case .forbidden: 403
        case .noProbe, .noTraffic, .targetExists, .targetInUse, .readOnlyTarget: 409
        case .preconditionFailed: 412
        case .unsupportedMediaType: 415
        case .invalidTarget, .invalidConfiguration, .invalidIncidentChange, .tooManyTargets: 422
        case .insufficientStorage: 507
        case .tooManyWrites: 429
        case .misdirectedRequest: 421
        case .requestTimeout: 408
        case .bodyTooLarge: 413
        case .headerTooLarge: 431
        case .internalError: 500
        case .notImplemented, .noHistory: 501
        case .overloaded, .notPersisted, .historyUnavailable, .fleetUnavailable: 503
        }
    }

    var title: String {
        switch self {
        case .badEncoding: "The path is not valid percent-encoded UTF-8 text"
        case .invalidParameter: "The query is invalid"
        case .unknownRoute: "The route does not exist"
        case .unknownTarget: "The target does not exist"
        case .unknownModule: "The module does not exist"
        case .unknownIncident: "The incident does not exist"
        case .methodNotAllowed: "The route does not support the method"
        case .unexpectedBody: "The route does not accept a body with the method"
        case .unauthorized: "The request has no valid token"
        case .forbidden: "The request is not allowed"
        case .tooManyWrites: "The client sends too many requests of this kind"
        case .noProbe: "The target has no such probe"
        case .noTraffic: "The target's connections are not observed"
        case .invalidTarget: "The declaration is invalid"
        case .invalidConfiguration: "The configuration is invalid; the previous one stays in force"
        case .invalidIncidentChange: "The change of the incident is invalid"
        case .malformedBody: "The body is not JSON"
        case .unsupportedMediaType: "The type of the body is not supported"
        case .targetExists: "The target already exists"
        case .targetInUse: "Other targets depend on the target"
        case .readOnlyTarget: "The target was not declared through the API"
        case .tooManyTargets: "There are too many targets"
        case .preconditionFailed: "The target or incident does not meet the request's condition"
        case .notPersisted: "The change could not be stored"
        case .insufficientStorage: "There is not enough disk space for the change"
        case .noHistory: "No history is kept"
        case .historyUnavailable: "The history cannot be read now"
        case .fleetUnavailable: "The fleet's database cannot be read now"
        case .unknownNode: "The node does not exist"
        case .misdirectedRequest: "The request is for another server"
        case .malformedRequest: "The request is malformed"
        case .requestTimeout: "The request took too long"
        case .bodyTooLarge: "The body is too large"
        case .headerTooLarge: "The headers are too large"
        case .internalError: "Internal server error"
        case .notImplemented: "The server does not support this"
        case .overloaded: "The server is overloaded"
        }
    }
}
