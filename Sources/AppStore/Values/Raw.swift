/// An enumerated value as received, with its meaning if this version knows it. Values reach the
/// wire before libraries know them (App Store Server Notifications changelog), so the raw form is
/// stored and compared; `value` is nil for an unknown one.
///
/// A known value is stored as itself: its raw form follows from it, and a string in every fact that
/// repeats it would be retained by each copy.
public struct Raw<Value: RawRepresentable & Hashable & Sendable>: Sendable
where Value.RawValue: Hashable & Sendable {
    @usableFromInline
    enum Form: Sendable {
        case known(Value)
        /// Never the raw form of a known value.
        case unknown(Value.RawValue)
    }

    @usableFromInline let form: Form

    /// From a wire value, known or not.
    @inlinable
    public init(rawValue: Value.RawValue) {
        if let value = Value(rawValue: rawValue), Raw.isSpelled(rawValue, as: value.rawValue) {
            form = .known(value)
        } else {
            form = .unknown(rawValue)
        }
    }

    /// Swift strings are also equal if only canonically equivalent; to a known value, which is
    /// ASCII, only longer spellings are.
    @inlinable
    static func isSpelled(_ raw: Value.RawValue, as known: Value.RawValue) -> Bool {
        guard let raw = raw as? String, let known = known as? String else { return true }
        return raw.utf8.count == known.utf8.count
    }

    /// From a known value.
    @inlinable
    public init(_ value: Value) { form = .known(value) }

    /// The value as received.
    @inlinable
    public var rawValue: Value.RawValue {
        switch form {
        case .known(let value): value.rawValue
        case .unknown(let raw): raw
        }
    }

    /// Nil if unknown to this version.
    @inlinable
    public var value: Value? {
        switch form {
        case .known(let value): value
        case .unknown: nil
        }
    }
}

extension Raw: Hashable {
    @inlinable
    public static func == (left: Raw, right: Raw) -> Bool {
        switch (left.form, right.form) {
        case (.known(let one), .known(let two)): one == two
        case (.unknown(let one), .unknown(let two)): one == two
        default: false
        }
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        switch form {
        case .known(let value): hasher.combine(value)
        case .unknown(let raw): hasher.combine(raw)
        }
    }
}
