// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import LinuxIO
import Monitoring
import Synchronization

/// Changes of targets, incidents and the configuration.
extension RequestHandler {
    /// The maximum number of pending changes; more are refused.
    static let maximumPendingWrites = 64
    /// The body size, in bytes, from which returning memory to the system is worth the cost.
    private static let largeBody = 1 << 20

    /// The answer to a request that changes targets or the configuration; nil for all others.
    func change(_ match: Router.Match, _ method: HTTPMethod, _ request: HTTPRequest) -> HTTPResponse? {
        guard method != .get, method != .head else { return nil }
        let run = registry.run
        switch (match.route, method) {
        case (.reload, .post):
            return reload(request)
        case (.targets, .post):
            return refusalOfType(request, isPatch: false)
                ?? edit(request) { editing throws(TargetEditError) in
                    Self.answer(try editing.add(request.body), path: request.path, run: run)
                }
        case (.target, .put), (.target, .patch), (.target, .delete):
            guard let id = PercentDecoding.decode((match.id ?? "")[...].utf8, plusIsSpace: false) else {
                return Problem(kind: .badEncoding).response
            }
            return change(id, method, request)
        case (.incident, .patch): return changeIncident(match.id ?? "", request)
        default:
            return nil
        }
    }

    private func change(_ id: String, _ method: HTTPMethod, _ request: HTTPRequest) -> HTTPResponse {
        let condition = WriteCondition(request)
        let registry = registry
        let holds: TargetEditing.Condition = { condition.holds(for: $0, run: registry.run, version: registry.version) }
        if method == .delete {
            return edit(request) { editing throws(TargetEditError) in
                try editing.remove(id, if: holds)
                return HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")])
            }
        }
        if let refusal = refusalOfType(request, isPatch: method == .patch) { return refusal }
        let run = registry.run
        return edit(request) { editing throws(TargetEditError) in
            guard method == .put else {
                return Self.answer(try editing.patch(id, request.body, if: holds), status: 200, run: run)
            }
            let put = try editing.put(id, request.body, if: holds)
            let location = put.isNew ? [HTTPHeader("Location", request.path)] : []
            return Self.answer(put.record, status: put.isNew ? 201 : 200, run: run, headers: location)
        }
    }

    // MARK: Types

    /// A page of another site can send text and forms without a preflight; it cannot send these types.
    func refusalOfType(_ request: HTTPRequest, isPatch: Bool) -> HTTPResponse? {
        if let refusal = refusalOfCoding(request) { return refusal }
        let types = isPatch ? ["application/merge-patch+json", "application/json"] : ["application/json"]
        let field = request.header("Content-Type") ?? ""
        var type = field.prefix { $0 != ";" }
        while let last = type.last, last == " " || last == "\t" { type = type.dropLast() }
        guard !types.contains(type.lowercased()) else { return nil }
        let accepted = HTTPHeader(isPatch ? "Accept-Patch" : "Accept-Post", types.joined(separator: ", "))
        let detail = "The Content-Type must be \(types.joined(separator: " or "))."
        return Problem(kind: .unsupportedMediaType, detail: detail, headers: [accepted]).response
    }

    /// Bodies must not be compressed, since their size is then unknown (RFC 9110, section 15.5.16, and 12.5.3 for the
    /// header).
    private func refusalOfCoding(_ request: HTTPRequest) -> HTTPResponse? {
        let codings = request.headers.filter { $0.name.lowercased() == "content-encoding" }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        guard let coding = codings.first(where: { $0 != "identity" }) else { return nil }
        let detail =
            "The Content-Encoding \(PrintableBytes.quote(coding.utf8)) is not supported; send the body uncompressed."
        let accepted = HTTPHeader("Accept-Encoding", "identity")
        return Problem(kind: .unsupportedMediaType, detail: detail, headers: [accepted]).response
    }

    // MARK: Execution

    /// What begins work that ends elsewhere: it is given a completion, to be called once, on any thread.
    typealias Beginning = (@escaping @Sendable (HTTPResponse) -> Void) -> Void

    /// Responds when the edit's turn has come. The body runs on the thread of changes, so it may wait for the targets' lock.
    func edit(
        _ request: HTTPRequest,
        _ body: @escaping @Sendable (any TargetEditing) throws(TargetEditError) -> HTTPResponse
    ) -> HTTPResponse {
        beginEdit(request) { editing throws(TargetEditError) in
            let response = try body(editing)
            return { $0(response) }
        }
    }

    /// As ``edit(_:_:)``, for a body after whose turn more is to be done before there is a response.
    func beginEdit(
        _ request: HTTPRequest,
        _ body: @escaping @Sendable (any TargetEditing) throws(TargetEditError) -> Beginning
    ) -> HTTPResponse {
        guard let editing else {
            return Problem(kind: .notImplemented, detail: "This service does not accept changes of targets.").response
        }
        return inTurn(request) {
            do throws(TargetEditError) {
                return try body(editing)
            } catch {
                let response = Problem(error).response
                return { $0(response) }
            }
        }
    }

    private func reload(_ request: HTTPRequest) -> HTTPResponse {
        guard let reload = wiring.reload else {
            return Problem(kind: .notImplemented, detail: "There is no configuration file to reload.").response
        }
        return inTurn(request) {
            let response = Self.answer(reload())
            return { $0(response) }
        }
    }

    private static func answer(_ outcome: ReloadOutcome) -> HTTPResponse {
        switch outcome {
        case .reloaded(let report):
            var writer = JSONWriter()
            writer.reloadBody(report)
            return HTTPResponse(status: 200, headers: fresh, body: .bytes(writer.bytes))
        case .rejected(let faults):
            let told = faults.map { fault in
                ProblemFault(
                    pointer: fault.pointer,
                    line: fault.line,
                    column: fault.column,
                    code: fault.code,
                    detail: fault.message
                )
            }
            let detail = faults.first?.message
            return Problem(kind: .invalidConfiguration, detail: detail, faults: told).response
        }
    }

    /// Responds when the change's turn has come and what it returns has ended; immediately if there is no queue.
    private func inTurn(_ request: HTTPRequest, _ work: @escaping @Sendable () -> Beginning) -> HTTPResponse {
        guard pendingWrites.add(1, ordering: .relaxed).newValue <= Self.maximumPendingWrites else {
            pendingWrites.subtract(1, ordering: .relaxed)
            let headers = [HTTPHeader("Retry-After", "1")]
            let detail = "\(Self.maximumPendingWrites) changes are already waiting."
            return Problem(kind: .overloaded, detail: detail, headers: headers).response
        }
        let run = wiring.write
        let isLarge = request.body.count > Self.largeBody
        return respond(to: request) { [weak self] answer in
            run {
                let begin = work()
                self?.pendingWrites.subtract(1, ordering: .relaxed)
                begin(answer)
                // The C library would keep the memory for the next body. Runs as a separate job, after the body is
                // released.
                if isLarge { run { HeapMemory.trim() } }
            }
        }
    }

    // MARK: Answers

    private static func answer(
        _ record: StatusRecord,
        status: Int,
        run: String,
        headers: [HTTPHeader] = []
    ) -> HTTPResponse {
        let validator = PreparedAnswer.validator(run: run, version: record.version)
        return HTTPResponse(
            status: status,
            headers: fresh + [HTTPHeader("ETag", validator)] + headers,
            body: .bytes(body(record))
        )
    }

    private static func answer(_ added: AddedTargets, path: String, run: String) -> HTTPResponse {
        if !added.isBatch, let record = added.records.first {
            // Ids have no characters that need encoding.
            let location = HTTPHeader("Location", "\(path)/\(record.target?.settings.id ?? "")")
            return answer(record, status: 201, run: run, headers: [location])
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("targets")
            writer.array(added.records) { $0.target($1, detail: .brief) }
            writer.member("total", added.records.count)
        }
        return HTTPResponse(status: added.records.isEmpty ? 200 : 201, headers: fresh, body: .bytes(writer.bytes))
    }
}

extension Problem {
    init(_ error: TargetEditError) {
        let kind: ProblemKind =
            switch error.code {
            case .malformed: .malformedBody
            case .invalid: .invalidTarget
            case .exists: .targetExists
            case .unknown: .unknownTarget
            case .readOnly: .readOnlyTarget
            case .condition: .preconditionFailed
            case .inUse: .targetInUse
            case .tooMany: .tooManyTargets
            case .noSpace: .insufficientStorage
            case .notWritten: .notPersisted
            }
        let faults = error.faults.map { ProblemFault(pointer: $0.pointer, code: $0.code, detail: $0.detail) }
        self.init(kind: kind, detail: error.detail, faults: faults)
    }
}
