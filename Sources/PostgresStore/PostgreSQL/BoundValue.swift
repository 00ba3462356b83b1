internal import AppStore

/// A value of a statement's parameter: integers and times as `bigint`, flags as `boolean`, texts,
/// digests and bytes as `bytea`.
protocol BoundValue {
    func add(to parameters: inout Parameters)
}

extension Int64: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(self) }
}

extension Int: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(self) }
}

extension Bool: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(self) }
}

extension String: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(self) }
}

extension Timestamp: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(milliseconds) }
}

extension Digest: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(self) }
}

extension [UInt8]: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(self) }
}

extension Identifier: BoundValue {
    func add(to parameters: inout Parameters) { parameters.add(rawValue) }
}

extension Optional: BoundValue where Wrapped: BoundValue {
    func add(to parameters: inout Parameters) {
        if let self { self.add(to: &parameters) } else { parameters.addNull() }
    }
}
