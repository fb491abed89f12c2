// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the first line of a file says of what follows.
enum TransferBeginning: Equatable {
    case jsonLines
    case columns(TransferKind)
    /// JSON lines of a version that is not known here.
    case otherVersion(String)
    /// A record, and no line before it that says of which version it is.
    case record
    case foreign

    private static let signature = Array(TransferLine.signature.utf8)
    private static let columns = TransferKind.allCases.map { (kind: $0, line: Array(TransferLine.columns($0).utf8)) }
    private static let kind = Array(#"{"kind":"#.utf8)

    /// - Parameter line: The line without its end; its first 4096 bytes are enough.
    init(firstLine line: [UInt8]) {
        if let header = Self.header(line) {
            self = header
        } else if let members = try? TransferLine.members(line) {
            let kind = members["kind"].flatMap { try? TransferLine.text($0) }
            self = kind.flatMap(TransferKind.init) == nil ? .foreign : .record
        } else {
            // A record may be longer than what was read of it.
            self = line.starts(with: Self.kind) ? .record : .foreign
        }
    }

    /// What a line says of those behind it; nil for all lines that are not the first of an export.
    static func header(_ line: [UInt8]) -> TransferBeginning? {
        if line == signature { return .jsonLines }
        if line.starts(with: kind) { return nil }
        if let columns = columns.first(where: { $0.line == line }) { return .columns(columns.kind) }
        // Whoever wrote it anew may have put blanks into it.
        guard line.count <= 256, let members = try? TransferLine.members(line), let name = members["reachd"],
            (try? TransferLine.text(name)) == "history", let version = members["version"]
        else { return nil }
        let text = String(decoding: version, as: UTF8.self)
        return text == "1" ? .jsonLines : .otherVersion(text)
    }

    /// Why nothing behind the line can be taken, in words; nil if it can.
    var fault: String? {
        switch self {
        case .jsonLines, .columns: nil
        case .otherVersion(let version): "this is an export of version \(version), which this reachd does not support"
        case .record: "the first line of the export is missing, \(TransferLine.signature)"
        case .foreign: "this is not an export of reachd"
        }
    }
}
