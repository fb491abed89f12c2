// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A key of a mapping together with the property that it sets.
///
/// Only the declaration names the key: reading, default, comparison and documentation follow from it. The default is
/// the property's value in a new owner.
package struct Setting<Owner>: Sendable {
    /// The keys of a section; empty for any other key.
    package let inner: [Setting]
    /// Whether a change takes effect only at the next start.
    package let needsRestart: Bool
    private var describe: @Sendable (Owner) -> Field
    private let assign: @Sendable (ValidatedMapping, inout Owner) -> Void
    /// Whether two owners differ in it; nil if it is not compared.
    package let differs: (@Sendable (Owner, Owner) -> Bool)?

    /// Declares a key that sets a property.
    ///
    /// - Parameters:
    ///   - home: the property.
    ///   - example: an example as YAML on one line, if the type's is not clear enough.
    package init<Value: SettingValue>(
        _ name: String,
        _ home: any WritableKeyPath<Owner, Value> & Sendable,
        _ type: FieldType,
        needsRestart: Bool = false,
        example: String? = nil,
        isRequired: Bool = false,
        synonyms: [String] = [],
        _ summary: String
    ) {
        inner = []
        self.needsRestart = needsRestart
        describe = { owner in
            Field(
                name,
                type,
                example: example,
                defaultValue: isRequired ? nil : owner[keyPath: home].written(as: type),
                isRequired: isRequired,
                synonyms: synonyms,
                summary
            )
        }
        assign = { object, owner in
            guard let located = object[name], let value = Value(checked: located.value) else { return }
            owner[keyPath: home] = value
        }
        differs = { $0[keyPath: home] != $1[keyPath: home] }
    }

    /// Declares a key whose value depends on others, so that an assembler reads it; the property is only compared.
    package init<Value: Equatable & SendableMetatype>(
        _ name: String,
        _ type: FieldType,
        comparing home: any KeyPath<Owner, Value> & Sendable,
        needsRestart: Bool = false,
        example: String? = nil,
        defaultValue: String? = nil,
        synonyms: [String] = [],
        _ summary: String
    ) {
        let field = Field(name, type, example: example, defaultValue: defaultValue, synonyms: synonyms, summary)
        self.init(field, needsRestart: needsRestart) { $0[keyPath: home] != $1[keyPath: home] }
    }

    /// Declares a key that an assembler reads and that is not compared.
    package init(
        _ name: String,
        _ type: FieldType,
        example: String? = nil,
        defaultValue: String? = nil,
        isRequired: Bool = false,
        synonyms: [String] = [],
        _ summary: String
    ) {
        self.init(
            Field(
                name,
                type,
                example: example,
                defaultValue: defaultValue,
                isRequired: isRequired,
                synonyms: synonyms,
                summary
            )
        )
    }

    /// Wraps a key that is declared elsewhere and read by an assembler.
    package init(
        _ field: Field,
        needsRestart: Bool = false,
        differs: (@Sendable (Owner, Owner) -> Bool)? = nil
    ) {
        inner = []
        self.needsRestart = needsRestart
        describe = { _ in field }
        assign = { _, _ in }
        self.differs = differs
    }

    /// Declares a section: a mapping whose keys set properties of the same owner.
    package init(
        section name: String,
        example: String? = nil,
        synonyms: [String] = [],
        _ summary: String,
        title: String? = nil,
        _ settings: [Setting]
    ) {
        inner = settings
        needsRestart = false
        describe = { owner in
            let schema = ObjectSchema(title ?? name, fields: settings.fields(of: owner))
            return Field(name, .object(schema), example: example, synonyms: synonyms, summary)
        }
        assign = { object, owner in
            if let section = object.object(name) { settings.read(section, into: &owner) }
        }
        differs = nil
    }

    /// The same key, for some variants of the mapping only.
    package func only(in variants: [String]) -> Setting {
        var setting = self
        setting.describe = { [describe] in describe($0).only(in: variants) }
        return setting
    }

    /// The key for readers, hints and documentation, with a new owner's value as the default.
    fileprivate func field(of owner: Owner) -> Field { describe(owner) }

    fileprivate func read(_ object: ValidatedMapping, into owner: inout Owner) { assign(object, &owner) }
}

extension Array {
    /// The keys for readers and documentation.
    ///
    /// - Parameter owner: a new owner, which has the defaults.
    package func fields<Owner>(of owner: Owner) -> [Field] where Element == Setting<Owner> {
        map { $0.field(of: owner) }
    }

    /// Sets the properties of all keys in the mapping.
    package func read<Owner>(_ object: ValidatedMapping, into owner: inout Owner) where Element == Setting<Owner> {
        for setting in self { setting.read(object, into: &owner) }
    }

    /// The compared dotted keys.
    package func compared<Owner>(
        by owner: Owner,
        above: String = ""
    ) -> [(key: String, setting: Setting<Owner>)] where Element == Setting<Owner> {
        flatMap { setting -> [(key: String, setting: Setting<Owner>)] in
            let key = above + setting.field(of: owner).name
            if setting.inner.isEmpty { return setting.differs == nil ? [] : [(key, setting)] }
            return setting.inner.compared(by: owner, above: key + ".")
        }
    }
}
