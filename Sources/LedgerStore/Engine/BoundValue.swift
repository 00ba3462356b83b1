public import AppStore

/// A value bound to a parameter of a statement.
public protocol BoundValue: Sendable {
    var boundValue: StoredValue { get }
}

/// The value of a parameter or column, whatever the engine.
public enum StoredValue: Sendable {
    case null
    case integer(Int64)
    case flag(Bool)
    case text(String)
    case digest(Digest)
    case bytes([UInt8])
}

extension Int64: BoundValue {
    public var boundValue: StoredValue { .integer(self) }
}

extension Int: BoundValue {
    public var boundValue: StoredValue { .integer(Int64(self)) }
}

extension Bool: BoundValue {
    public var boundValue: StoredValue { .flag(self) }
}

extension String: BoundValue {
    public var boundValue: StoredValue { .text(self) }
}

extension [UInt8]: BoundValue {
    public var boundValue: StoredValue { .bytes(self) }
}

extension Digest: BoundValue {
    public var boundValue: StoredValue { .digest(self) }
}

extension Timestamp: BoundValue {
    public var boundValue: StoredValue { .integer(milliseconds) }
}

extension Identifier: BoundValue {
    public var boundValue: StoredValue { .text(rawValue) }
}
