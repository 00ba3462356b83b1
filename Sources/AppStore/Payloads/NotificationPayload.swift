/// A decoded notification (App Store Server Notifications, `responseBodyV2DecodedPayload`). Exactly
/// one of data, summary, externalPurchaseToken and appData is present in a conforming one.
public struct NotificationPayload: WireObject {
    /// What happened.
    public var notificationType: Raw<NotificationType>?
    /// Detail; only some types have one.
    public var subtype: Raw<Subtype>?
    /// Identical on every redelivery.
    public var notificationUUID: NotificationUUID?
    /// `2.0`; absent from the oldest.
    public var version: String?
    /// When Apple signed the notification. Absent before mid-2022.
    public var signedDate: Timestamp?
    /// For events about one customer's purchase.
    public var data: NotificationData?
    /// For `RENEWAL_EXTENSION`/`SUMMARY`.
    public var summary: NotificationSummary?
    /// For `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// For `RESCIND_CONSENT`.
    public var appData: AppData?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("notificationType", &notificationType)
        visitor.visit("subtype", &subtype)
        visitor.visit("notificationUUID", &notificationUUID)
        visitor.visit("version", &version)
        visitor.visit("signedDate", &signedDate)
        visitor.visit("data", &data)
        visitor.visit("summary", &summary)
        visitor.visit("externalPurchaseToken", &externalPurchaseToken)
        visitor.visit("appData", &appData)
    }
}
