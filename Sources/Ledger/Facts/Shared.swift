/// A large value in one place on the heap, its properties read where they are: reduction looks at
/// a snapshot many times, and a copy would count every text in it each time.
@dynamicMemberLookup
package final class Shared<Value: Hashable & Sendable>: Sendable {
    package let value: Value

    package init(_ value: consuming Value) { self.value = value }

    @inlinable
    package subscript<Property>(dynamicMember path: KeyPath<Value, Property>) -> Property {
        value[keyPath: path]
    }
}

extension Shared: Hashable {
    package static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.value == right.value
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Shared: CustomDebugStringConvertible {
    /// The value itself.
    package var debugDescription: String { String(reflecting: value) }
}
