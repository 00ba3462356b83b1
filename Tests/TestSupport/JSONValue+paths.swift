import AppStore

extension JSONValue {
    /// The keys of an object, in order.
    package var keys: [String] { object?.map(\.key) ?? [] }

    /// The codes of the notices of a `show` object, in order.
    package var noticeCodes: [String] {
        self["notices"]?.array?.compactMap { $0["code"]?.string } ?? []
    }

    /// The positions under `evidence`.
    package var evidence: [Int64] { self["evidence"]?.array?.compactMap(\.int64) ?? [] }

    /// The object without these members.
    package func without(_ keys: String...) -> JSONValue {
        guard let object else { return self }
        return .object(object.filter { !keys.contains($0.key) })
    }
}
