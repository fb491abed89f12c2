// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import ServerTrust

/// Caches the contexts and trust evaluators of the settings in use. On the loop's thread.
///
/// Reading the system's CAs takes 20 ms, so it is done once for all runs until a file changes; each run checks the
/// files with `stat(2)`. Read errors are cached likewise.
final class TLSContextCache {
    private static let contextLimit = 256
    /// Each target with pins has its own policy.
    private static let evaluatorLimit = 4_096

    private struct ContextKey: Hashable {
        let certificateFile: String?
        let keyFile: String?
        let minimumVersion: TLSSettings.Version
        let maximumVersion: TLSSettings.Version
        let applicationProtocols: [String]
    }

    private struct EvaluatorKey: Hashable {
        let policy: SecurityPolicy
        let authorityFiles: [String]
    }

    private struct Entry<Value> {
        let marks: [FileFingerprint]
        let outcome: Result<Value, ProbeFault>
        var lastUse: UInt64
    }

    private var contexts: [ContextKey: Entry<TLSContext>] = [:]
    private var evaluators: [EvaluatorKey: Entry<TrustEvaluator>] = [:]
    private var anchors: [[String]: Entry<TrustAnchors>] = [:]
    private let verdicts = TrustVerdictCache()
    private var uses: UInt64 = 0

    /// Returns the context of the settings.
    ///
    /// - Throws: ``ProbeFault`` when a file cannot be used or the settings are contradictory.
    func context(for settings: TLSSettings) throws(ProbeFault) -> TLSContext {
        let key = ContextKey(
            certificateFile: settings.certificateFile,
            keyFile: settings.keyFile,
            minimumVersion: settings.minimumVersion,
            maximumVersion: settings.maximumVersion,
            applicationProtocols: settings.applicationProtocols
        )
        let marks = [settings.certificateFile, settings.keyFile].compactMap(\.self).map { FileFingerprint($0) }
        return try Self.value(in: &contexts, Self.contextLimit, key, marks, use()) { () throws(ProbeFault) in
            try TLSContext(settings)
        }
    }

    /// Returns the trust evaluator of the settings.
    ///
    /// - Throws: ``ProbeFault`` when a file cannot be used.
    func evaluator(for settings: TLSSettings) throws(ProbeFault) -> TrustEvaluator {
        let files = settings.authorityFiles
        let key = EvaluatorKey(policy: settings.policy, authorityFiles: files)
        let marks = (files.isEmpty ? TrustAnchors.systemPlaces : files).map { FileFingerprint($0) }
        return try Self.value(in: &evaluators, Self.evaluatorLimit, key, marks, use()) { () throws(ProbeFault) in
            let anchors = try anchors(of: files, marks)
            return try ProbeFault.told { () throws(TrustError) in
                try TrustEvaluator(key.policy, anchors: anchors, cache: verdicts)
            }
        }
    }

    private func anchors(of files: [String], _ marks: [FileFingerprint]) throws(ProbeFault) -> TrustAnchors {
        try Self.value(in: &anchors, Self.contextLimit, files, marks, use()) { () throws(ProbeFault) in
            try ProbeFault.told { () throws(TrustError) in
                files.isEmpty ? try .system() : try TrustAnchors(files: files)
            }
        }
    }

    private func use() -> UInt64 {
        uses += 1
        return uses
    }

    private static func value<Key: Hashable, Value>(
        in table: inout [Key: Entry<Value>],
        _ limit: Int,
        _ key: Key,
        _ marks: [FileFingerprint],
        _ use: UInt64,
        make: () throws(ProbeFault) -> Value
    ) throws(ProbeFault) -> Value {
        if let entry = table[key], entry.marks == marks {
            table[key]?.lastUse = use
            return try entry.outcome.get()
        }
        let outcome = Result { () throws(ProbeFault) in try make() }
        table[key] = Entry(marks: marks, outcome: outcome, lastUse: use)
        if table.count > limit, let oldest = table.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            table[oldest.key] = nil
        }
        return try outcome.get()
    }
}

/// The identity of a file's contents, to detect changes.
struct FileFingerprint: Hashable {
    private var device: UInt64 = 0
    private var number: UInt64 = 0
    private var size: Int64 = 0
    private var seconds: Int64 = 0
    private var nanoseconds: Int64 = 0
    private var error: Int32 = 0

    /// Reads the status of a file or directory; a missing one has a fingerprint, too.
    init(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            error = errno
            return
        }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }
}
