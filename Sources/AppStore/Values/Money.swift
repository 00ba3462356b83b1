/// An amount in milliunits of its currency, as Apple signs prices (1990 = USD 1.99, 300000 = JPY
/// 300; App Store Server API, `price`). Not for accounting: Apple reports payments elsewhere.
public struct Money: Hashable, Sendable {
    /// Thousandths of the currency's unit.
    public var milliunits: Int64
    /// ISO 4217.
    public var currency: String

    public init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }
}

/// `{ "milliunits": 9990, "currency": "USD" }`
extension Money: JSONObjectWritable {
    public func writeMembers(to json: inout JSONWriter) {
        json.member("milliunits", milliunits)
        json.member("currency", currency)
    }
}
