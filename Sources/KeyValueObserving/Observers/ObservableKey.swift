// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One observable property of a class: its name, how to read it, and what it depends on.
///
/// ```swift
/// extension Thermostat {
///     static let celsius = ObservableKey<Thermostat, Double>("celsius") { $0.celsius }
///     static let isFreezing = ObservableKey("isFreezing", dependingOn: celsius) { (thermostat: Thermostat) in
///         thermostat.celsius < 0
///     }
/// }
/// ```
///
/// Keys are known to the observers of an object by name: two keys of one class must not share one.
public struct ObservableKey<Root: AnyObject & Sendable, Value: Sendable>: Sendable {
    /// The property's name (K11).
    public let name: String
    /// The names whose change changes this key: its own and those of everything it depends on, however far.
    public let sources: Set<String>

    private let read: @Sendable (Root) -> Value
    private let elements: (@Sendable (Value, RangeSet<Int>) -> Value)?

    /// Names a property.
    ///
    /// - Parameters:
    ///   - name: the property's name.
    ///   - dependencies: the keys whose change changes this one as well; what these depend on is included.
    ///   - read: reads the property. It is called on any thread, may be called often, and must not change the object.
    public init<each Dependency: Sendable>(
        _ name: String,
        dependingOn dependencies: repeat ObservableKey<Root, each Dependency>,
        read: @escaping @Sendable (Root) -> Value
    ) {
        var sources: Set<String> = [name]
        for dependency in repeat each dependencies {
            sources.formUnion(dependency.sources)
        }
        self.init(name: name, sources: sources, read: read, elements: nil)
    }

    fileprivate init(
        name: String,
        sources: Set<String>,
        read: @escaping @Sendable (Root) -> Value,
        elements: (@Sendable (Value, RangeSet<Int>) -> Value)?
    ) {
        self.name = name
        self.sources = sources
        self.read = read
        self.elements = elements
    }

    /// Reads the property: the whole of it, or the elements at the given indexes.
    func value(of root: Root, at indexes: RangeSet<Int>? = nil) -> Value {
        let value = read(root)
        guard let indexes, let elements else { return value }
        return elements(value, indexes)
    }
}

extension ObservableKey where Value: RangeReplaceableCollection, Value.Index == Int {
    /// Names a property that holds a collection, whose elements may be inserted, removed and replaced singly.
    ///
    /// - Parameters:
    ///   - name: the property's name.
    ///   - dependencies: the keys whose change changes this one as well; what these depend on is included.
    ///   - read: reads the property. It is called on any thread, may be called often, and must not change the object.
    public init<each Dependency: Sendable>(
        _ name: String,
        dependingOn dependencies: repeat ObservableKey<Root, each Dependency>,
        read: @escaping @Sendable (Root) -> Value
    ) {
        var sources: Set<String> = [name]
        for dependency in repeat each dependencies {
            sources.formUnion(dependency.sources)
        }
        self.init(name: name, sources: sources, read: read) { value, indexes in
            // Another observer may have shortened the collection since the indexes were announced.
            let bounds = value.startIndex..<value.endIndex
            var elements = Value()
            for range in indexes.ranges {
                elements.append(contentsOf: value[range.clamped(to: bounds)])
            }
            return elements
        }
    }
}
