// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux

/// Converts bodies to UTF-8, the encoding of the texts that they are compared with.
enum BodyText {
    /// Returns a body as UTF-8: by its byte order mark, otherwise by the `charset` of its type. A body of an unknown encoding, and one
    /// without, stays as it is.
    static func text(_ body: [UInt8], contentType: [UInt8]?) -> [UInt8] {
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(body.dropFirst(3)) }
        if body.starts(with: [0xFE, 0xFF]) { return convert(body[2...], "UTF-16BE") ?? body }
        if body.starts(with: [0xFF, 0xFE]) { return convert(body[2...], "UTF-16LE") ?? body }
        guard let label = contentType.flatMap(charset), let encoding = encodings[label] else { return body }
        return convert(body[...], encoding) ?? body
    }

    /// The `charset` of a media type, in lower case (RFC 9110, section 8.3.1).
    static func charset(_ contentType: [UInt8]) -> String? {
        let parameters = String(decoding: contentType.prefix(1_024), as: UTF8.self).lowercased().split(separator: ";")
        for parameter in parameters.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].filter({ $0 != " " && $0 != "\t" }) == "charset" else { continue }
            return pair[1].filter { !" \t\"'".contains($0) }
        }
        return nil
    }

    private static func convert(_ bytes: ArraySlice<UInt8>, _ encoding: String) -> [UInt8]? {
        var isKnown = true
        let text = unsafe [UInt8](unsafeUninitializedCapacity: 3 * bytes.count + 8) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            let length = unsafe bytes.withUnsafeBufferPointer {
                unsafe reachd_convert_to_utf8(encoding, $0.baseAddress, $0.count, start)
            }
            isKnown = length != .max
            count = isKnown ? length : 0
        }
        return isKnown ? text : nil
    }

    /// What a charset's name means (WHATWG Encoding Standard, section 4.2), by iconv's name. Only these: a server must not choose any
    /// of iconv's modules.
    private static let encodings: [String: String] = {
        var encodings = [
            "iso-8859-1": "WINDOWS-1252", "latin1": "WINDOWS-1252", "iso8859-1": "WINDOWS-1252",
            "us-ascii": "WINDOWS-1252", "ascii": "WINDOWS-1252", "iso-8859-9": "WINDOWS-1254", "latin5": "WINDOWS-1254",
            "iso-8859-11": "WINDOWS-874", "tis-620": "WINDOWS-874", "latin2": "ISO-8859-2", "macintosh": "MACINTOSH",
            "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "ibm866": "IBM866", "cp866": "IBM866",
            "gb2312": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030", "gb18030": "GB18030",
            "big5": "BIG5-HKSCS", "big5-hkscs": "BIG5-HKSCS", "euc-jp": "EUC-JP", "iso-2022-jp": "ISO-2022-JP",
            "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "windows-31j": "CP932",
            "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
            "utf-16": "UTF-16LE", "utf-16le": "UTF-16LE", "utf-16be": "UTF-16BE",
        ]
        for part in [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] { encodings["iso-8859-\(part)"] = "ISO-8859-\(part)" }
        for page in 1250...1258 { encodings["windows-\(page)"] = "WINDOWS-\(page)" }
        encodings["windows-874"] = "WINDOWS-874"
        return encodings
    }()
}
