/// A large value on the heap, read in place: reduction reads a snapshot many times, and each copy
/// would retain every string in it.
///
/// Inlinable, so that bulk callers move values in instead of copying them.
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
    @usableFromInline
    package var debugDescription: String { String(reflecting: value) }
}
