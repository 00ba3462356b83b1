/// Kind of store account that acquired the app (App Store Server API, `storeType`).
public enum StoreType: String, Sendable, CaseIterable {
    /// The only value the server is known to send.
    case consumer = "CONSUMER"
}
