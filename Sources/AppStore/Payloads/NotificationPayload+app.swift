/// The app of a notification, from the first of data, summary, externalPurchaseToken and appData
/// that is present, as in Apple's own verifiers.
extension NotificationPayload {
    /// Nil if the part has none.
    public var bundleId: BundleId? {
        if let data { return data.bundleId }
        if let summary { return summary.bundleId }
        if let externalPurchaseToken { return externalPurchaseToken.bundleId }
        return appData?.bundleId
    }

    /// Compared in Production only.
    public var appAppleId: Int64? {
        if let data { return data.appAppleId }
        if let summary { return summary.appAppleId }
        if let externalPurchaseToken { return externalPurchaseToken.appAppleId }
        return appData?.appAppleId
    }

    /// Nil for payloads signed before 2022-02, which have none.
    public var environment: Raw<Environment>? {
        if let data { return data.environment }
        if let summary { return summary.environment }
        if let externalPurchaseToken { return externalPurchaseToken.environment }
        return appData?.environment
    }
}

extension ExternalPurchaseToken {
    /// The token has no environment; Apple marks sandbox ids by a prefix. Nil without an id.
    public var environment: Raw<Environment>? {
        guard let externalPurchaseId else { return nil }
        return Raw(externalPurchaseId.hasPrefix("SANDBOX") ? .sandbox : .production)
    }
}
