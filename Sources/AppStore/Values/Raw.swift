/// An enumerated value as it came on the wire, beside its meaning when this version knows one.
/// Values reach the wire before libraries know them (App Store Server Notifications changelog),
/// so the raw form is what is kept and compared; `value` is nil for an unknown one.
public struct Raw<Value: RawRepresentable & Sendable>: Sendable
where Value.RawValue: Hashable & Sendable {
    /// As it came on the wire.
    public let rawValue: Value.RawValue
    /// Nil when this version does not know it.
    public let value: Value?

    /// Takes a value of the wire, known or not.
    @inlinable
    public init(rawValue: Value.RawValue) {
        self.rawValue = rawValue
        value = Value(rawValue: rawValue)
    }

    /// Takes a known value.
    @inlinable
    public init(_ value: Value) {
        rawValue = value.rawValue
        self.value = value
    }
}

extension Raw: Hashable {
    @inlinable
    public static func == (left: Raw, right: Raw) -> Bool { left.rawValue == right.rawValue }
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
