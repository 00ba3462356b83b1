public import AppStore
public import Ledger
package import Projection

/// The time and state of a query, in every answer about chains and customers.
public struct AnswerStamp: Hashable, Sendable {
    public let at: Timestamp
    public let knownAt: Timestamp?
    /// The log position at which the answer was computed.
    public let position: Int64
    /// The window in which everything Apple sent for the requested app, or for all configured
    /// apps, is confirmed to be present.
    public let complete: CompleteWindow?
    /// Whether nothing is known of what is complete because the requested app is not configured.
    package let isUnchecked: Bool
    public let catalogueHash: Digest

    /// - Parameter bundleId: the requested app; nil: all configured apps.
    package init(
        _ moment: Moment, of bundleId: BundleId?, position: Int64, _ ledger: EnvironmentLedger
    ) {
        let complete = ledger.complete(of: bundleId, moment.knowledge, head: position)
        let isConfigured = bundleId.map { ledger.isConfigured($0) } ?? true
        self.init(
            moment, position: position, catalogueHash: ledger.catalogueHash, complete: complete,
            isUnchecked: complete == nil && !isConfigured)
    }

    /// Without `complete` outside a ledger, where nothing is known of what is complete.
    package init(
        _ moment: Moment, position: Int64, catalogueHash: Digest, complete: CompleteWindow? = nil,
        isUnchecked: Bool = false
    ) {
        at = moment.at
        knownAt = moment.knowledge.knownAt
        self.position = position
        self.complete = complete
        self.isUnchecked = isUnchecked
        self.catalogueHash = catalogueHash
    }

    package func writeMembers(to json: inout JSONWriter) {
        if json.isStamped { json.member("at", at) }
        json.member("knownAt", knownAt)
        if json.isStamped { json.member("position", position) }
        complete.writeMembers(to: &json)
        json.member("reducerVersion", Lifecycle.reducerVersion)
        json.member("catalogueHash", catalogueHash)
    }
}
