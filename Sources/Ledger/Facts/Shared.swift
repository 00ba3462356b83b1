import AppStore

/// A large value in one place on the heap, its properties read where they are: reduction looks at
/// a snapshot many times, and a copy would count every text in it each time.
///
/// Inlinable, so that who makes millions of them moves each value in instead of copying it.
@dynamicMemberLookup
@usableFromInline
package final class Shared<Value: Hashable & Sendable>: Sendable {
    @usableFromInline package let value: Value

    @inlinable
    package init(_ value: consuming Value) { self.value = value }

    @inlinable
    package subscript<Property>(dynamicMember path: KeyPath<Value, Property>) -> Property {
        value[keyPath: path]
    }
}

extension Shared: Hashable {
    @usableFromInline
    package static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.value == right.value
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Shared: CustomDebugStringConvertible {
    /// The value itself.
    @usableFromInline
    package var debugDescription: String { String(reflecting: value) }
}
