// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The name of a fleet's schema, and of the group roles that belong to it.
///
/// Several fleets can share a database, each in a schema of its own. Roles belong to the whole server: schemas of the same name in
/// two of its databases share their group roles.
package struct SchemaName: Sendable, Hashable {
    /// The name: `[a-z_][a-z0-9_]{0,40}`; also the channel of the fleet's notifications.
    package let text: String

    /// The name that `reachd fleet init` uses when none is given.
    package static let standard = SchemaName(unchecked: "reachd")

    /// Checks a name.
    ///
    /// - Throws: `invalid_name` for another form, and for names that PostgreSQL reserves or all users share.
    package init(_ text: String) throws(SchemaProblem) {
        let bytes = text.utf8
        let isPlain = bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        guard (1...41).contains(bytes.count), isPlain, bytes.first.map({ !(0x30...0x39).contains($0) }) == true else {
            throw SchemaProblem(
                .invalidName,
                "the schema name \(SchemaProblem.shown(text)) is not 1 to 41 letters a-z, digits and underscores, "
                    + "beginning with a letter or an underscore",
                next: "choose another name with --schema"
            )
        }
        guard !text.hasPrefix("pg_"), !["public", "information_schema"].contains(text) else {
            throw SchemaProblem(
                .invalidName,
                "the schema name \(text) is reserved",
                next: "choose another name with --schema"
            )
        }
        self.init(unchecked: text)
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// The group role that owns the schema and everything in it.
    package var owner: String { "\(text)_owner" }
    /// The group role of the nodes: it reads and writes rows, and creates and drops partitions through two functions.
    package var node: String { "\(text)_node" }
    /// The group role for dashboards: it reads.
    package var reader: String { "\(text)_reader" }

    /// The schema as an SQL identifier; without quotes, `order` would be a keyword.
    var quoted: String { SQLIdentifier.quote(text) }
}

/// Names in SQL, where parameters are not possible.
enum SQLIdentifier {
    /// The length limit of a name, in bytes; PostgreSQL would cut a longer one.
    static let limit = 63

    /// Whether PostgreSQL can store the name as it is.
    static func isValid(_ name: String) -> Bool {
        (1...limit).contains(name.utf8.count) && !name.utf8.contains(0)
    }

    /// The name in double quotes.
    static func quote(_ name: String) -> String {
        "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}
