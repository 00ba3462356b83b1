/// The app of a notification, from the first of data, summary, externalPurchaseToken and appData
/// that is present, as in Apple's own verifiers.
extension NotificationPayload {
    private var app: (bundleId: BundleId?, appAppleId: Int64?, environment: Raw<Environment>?) {
        if let data { return (data.bundleId, data.appAppleId, data.environment) }
        if let summary { return (summary.bundleId, summary.appAppleId, summary.environment) }
        if let token = externalPurchaseToken {
            return (token.bundleId, token.appAppleId, token.environment)
        }
        return (appData?.bundleId, appData?.appAppleId, appData?.environment)
    }

    /// Nil if the part has none.
    public var bundleId: BundleId? { app.bundleId }

    /// Compared in Production only.
    public var appAppleId: Int64? { app.appAppleId }

    /// Nil for payloads signed before 2022-02, which have none.
    public var environment: Raw<Environment>? { app.environment }
}

extension ExternalPurchaseToken {
    /// The token has no environment; Apple marks sandbox ids by a prefix. Nil without an id.
    public var environment: Raw<Environment>? {
        guard let externalPurchaseId else { return nil }
        return Raw(externalPurchaseId.hasPrefix("SANDBOX") ? .sandbox : .production)
    }
}
