// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The contexts of the settings in use. On the loop's thread.
///
/// Reading the system's authorities takes 20 ms, so it is done once for all runs until a file changes; files are looked
/// at (`stat(2)`) for each run. What could not be read is remembered in the same way.
final class TLSContextCache {
    private static let limit = 256

    private struct Key: Hashable {
        let authorityFile: String?
        let certificateFile: String?
        let keyFile: String?
        let minimumVersion: TLSSettings.Version
        let maximumVersion: TLSSettings.Version
        let applicationProtocols: [String]

        init(_ settings: TLSSettings) {
            authorityFile = settings.authorityFile
            certificateFile = settings.certificateFile
            keyFile = settings.keyFile
            minimumVersion = settings.minimumVersion
            maximumVersion = settings.maximumVersion
            applicationProtocols = settings.applicationProtocols
        }
    }

    private struct Entry<Value> {
        let marks: [FileMark]
        let outcome: Result<Value, ProbeFault>
        var lastUse: UInt64
    }

    private var contexts: [Key: Entry<TLSContext>] = [:]
    private var authorities: [String?: Entry<TLSAuthorities>] = [:]
    private var uses: UInt64 = 0

    /// The context of these settings.
    ///
    /// - Throws: ``ProbeFault`` when a file cannot be used or the settings contradict themselves.
    func context(for settings: TLSSettings) throws(ProbeFault) -> TLSContext {
        let places = TLSAuthorities.places(file: settings.authorityFile)
        let marks = (places + [settings.certificateFile, settings.keyFile].compactMap(\.self)).map { FileMark($0) }
        return try Self.value(in: &contexts, Key(settings), marks, use()) { () throws(ProbeFault) in
            try TLSContext(settings, authorities: authorities(of: settings.authorityFile, marks[..<places.count]))
        }
    }

    private func authorities(of file: String?, _ marks: ArraySlice<FileMark>) throws(ProbeFault) -> TLSAuthorities {
        try Self.value(in: &authorities, file, Array(marks), use()) { () throws(ProbeFault) in
            try TLSAuthorities(file: file)
        }
    }

    private func use() -> UInt64 {
        uses += 1
        return uses
    }

    private static func value<Key: Hashable, Value>(
        in table: inout [Key: Entry<Value>],
        _ key: Key,
        _ marks: [FileMark],
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
