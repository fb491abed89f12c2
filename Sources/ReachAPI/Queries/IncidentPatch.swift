// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring

/// The body of `PATCH /incidents/{id}`, a merge patch (RFC 7396).
struct IncidentPatch {
    private static let limits = JSONLimits(values: 64)

    private var edit = IncidentEdit()
    private var faults: [ProblemFault] = []

    /// Reads a body.
    static func read(_ body: [UInt8]) -> Result<IncidentEdit, IncidentPatchError> {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(reading: body, limits: limits)
        } catch {
            return .failure(IncidentPatchError(Problem(kind: .malformedBody, detail: "\(error)")))
        }
        var patch = IncidentPatch()
        patch.take(value)
        guard let first = patch.faults.first else { return .success(patch.edit) }
        let problem = Problem(kind: .invalidIncidentChange, detail: first.detail, faults: patch.faults)
        return .failure(IncidentPatchError(problem))
    }

    private mutating func take(_ value: JSONValue) {
        guard case .object(let members) = value else { return fault("", "wrong_type", "An object is required.") }
        for (name, value) in members {
            switch name {
            case "acknowledged_by": takeName(value)
            case "muted_until": takeTime(value)
            case "note": takeNote(value)
            default:
                let known = "acknowledged_by, muted_until and note"
                fault("/\(name)", "unknown_key", "There is no such member; \(known) can be changed.")
            }
        }
    }

    private mutating func takeName(_ value: JSONValue) {
        if case .null = value { return edit.acknowledgedBy = .some(nil) }
        guard let name = text(value, "/acknowledged_by", IncidentLimits.nameLength, hasLines: false) else { return }
        edit.acknowledgedBy = .some(name)
    }

    private mutating func takeTime(_ value: JSONValue) {
        if case .null = value { return edit.mutedUntil = .some(nil) }
        guard case .string(let text) = value, text.utf8.count <= 64, let time = Timestamp(parsing: text) else {
            return fault("/muted_until", "invalid_time", "A time such as 2026-11-22T10:15:30Z, or null, is required.")
        }
        edit.mutedUntil = .some(time)
    }

    private mutating func takeNote(_ value: JSONValue) {
        guard case .object(let members) = value else {
            return fault("/note", "wrong_type", "An object with author and text is required.")
        }
        for (name, _) in members where !["author", "text", "public"].contains(name) {
            fault("/note/\(name)", "unknown_key", "There is no such member; a note has author, text and public.")
        }
        switch value.member("public") {
        case nil: break
        case .boolean(let isPublic)?: edit.isNotePublic = isPublic
        default: fault("/note/public", "wrong_type", "true or false is required.")
        }
        let author = text(value.member("author"), "/note/author", IncidentLimits.nameLength, hasLines: false)
        let text = text(value.member("text"), "/note/text", IncidentLimits.noteLength, hasLines: true)
        if let author, let text { edit.note = (author, text) }
    }

    /// A text that can be shown: not empty, no longer than so many bytes, without control characters.
    private mutating func text(_ value: JSONValue?, _ pointer: String, _ limit: Int, hasLines: Bool) -> String? {
        guard case .string(let text)? = value, (1...limit).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || hasLines && ($0 == 0x0a || $0 == 0x09) })
        else {
            fault(pointer, "invalid_text", "A text of 1 to \(limit) bytes without control characters is required.")
            return nil
        }
        return text
    }

    private mutating func fault(_ pointer: String, _ code: String, _ detail: String) {
        faults.append(ProblemFault(pointer: pointer, code: code, detail: detail))
    }
}

/// Why a body was not taken.
struct IncidentPatchError: Error {
    /// The response.
    let response: HTTPResponse

    init(_ problem: Problem) { response = problem.response }
}
