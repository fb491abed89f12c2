// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Why a request to the API server brought nothing.
enum KubernetesFault: Error, Sendable, Hashable {
    /// There was no usable response.
    case connection(SourceError)
    /// The server reported an error, by the response or in the stream.
    case status(KubernetesStatus)
    /// The response is not what the API documents.
    case malformed(String)
    /// The response, or a line of it, exceeds its limit.
    case tooLarge
    /// The list has more pages than are read.
    case tooMany(Int)

    /// Whether the version or the page is not kept any more: only a new list helps.
    var isGone: Bool {
        guard case .status(let status) = self else { return false }
        return status.isGone
    }

    /// Whether the server does not know the resource.
    var isAbsent: Bool { code == 404 }

    /// Whether the fault is definite: it is not going to end by itself soon, so that nothing is to be waited for.
    var isDefinite: Bool {
        switch self {
        case .connection: false
        case .status(let status): status.code == 403 || status.code == 404
        case .malformed, .tooLarge, .tooMany: true
        }
    }

    /// Whether the first occurrence is not reported, because the next request usually succeeds: a token that has just been replaced,
    /// or a server that limits requests.
    var isPassing: Bool { code == 401 || code == 429 || isGone }

    private var code: Int {
        guard case .status(let status) = self else { return 0 }
        return status.code
    }

    /// The error for the operator, which says what to do about it.
    ///
    /// - Parameters:
    ///   - verb: What was requested, `list` or `watch`.
    ///   - resource: The resource.
    ///   - namespace: The namespace; nil for all.
    func error(_ verb: String, _ resource: KubernetesResource, in namespace: String?) -> SourceError {
        let place = namespace.map { " in the namespace \($0)" } ?? (resource.isNamespaced ? " in all namespaces" : "")
        let what = "cannot \(verb) \(resource.fullName)\(place)"
        switch self {
        case .connection(let error): return SourceError(error.code, "\(what): \(error.words)")
        case .malformed(let words): return SourceError(.malformed, "\(what): the response is not valid: \(words)")
        case .tooLarge: return SourceError(.tooLarge, "\(what): the response is too large")
        case .tooMany(let pages): return SourceError(.tooLarge, "\(what): the list has more than \(pages) pages")
        case .status(let status):
            let detail = status.message.isEmpty ? "" : ": \(DisplayText.line(status.message, limit: 300))"
            switch status.code {
            case 401: return SourceError(.denied, "\(what): the API server rejects the token (401)\(detail)")
            case 403:
                let role = namespace == nil ? "a ClusterRole" : "a Role of the namespace"
                let rule = "apiGroups [\"\(resource.group)\"], resources [\"\(resource.plural)\"], verbs [\"\(verb)\"]"
                return SourceError(.denied, "\(what): the service account needs \(role) with \(rule) (403)\(detail)")
            default: return SourceError(.status, "\(what): the API server reports \(status.code)\(detail)")
            }
        }
    }
}
