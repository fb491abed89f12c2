// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// What `-w` or `-c` says: `500ms`, `14d`, or both with a comma between.
struct CheckThresholds {
    /// Why a text is none.
    struct Fault: Error {
        let words: String
    }

    /// A run that takes longer crosses it.
    private(set) var duration: Duration?
    /// Certificates that last for fewer days cross it.
    private(set) var days: Int?

    init(_ texts: [String], option: String) throws(Fault) {
        for part in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).map(String.init) {
            if part.hasSuffix("d"), let days = Int(part.dropLast()), (0...100_000).contains(days) {
                self.days = days
                continue
            }
            // Other plugins take seconds without a unit.
            if let seconds = Double(part), seconds > 0, seconds <= 3_600 {
                duration = .microseconds(Int64((seconds * 1_000_000).rounded(.up)))
                continue
            }
            do throws(ConfigurationFault) {
                duration = try OptionText.duration(part, option: option)
            } catch {
                throw Fault(words: "\(error.description); or days of certificates such as 14d")
            }
        }
    }
}
