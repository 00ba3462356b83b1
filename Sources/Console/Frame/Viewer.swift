/// Who looks at a page, and what they may do.
package struct Viewer: Sendable, Hashable {
    /// The name of the token or of the proxy's user that signed in; nil where no tokens are
    /// configured.
    package var name: String?
    /// Whether a session can be ended here, and not at a proxy.
    package var hasSession = true
    /// May link, grant and note.
    package var decides: Bool
    /// May retry, recover, redeliver, audit and erase.
    package var operates: Bool
    /// May see customers, subscriptions and events.
    package var seesPeople: Bool
    /// May see reports.
    package var seesReports: Bool
    /// May see intake, quarantine, recoveries, webhooks and audits, which name people, too.
    package var seesOperation: Bool

    package init(
        name: String?, decides: Bool, operates: Bool, seesPeople: Bool, seesReports: Bool,
        seesOperation: Bool
    ) {
        self.name = name
        self.decides = decides
        self.operates = operates
        self.seesPeople = seesPeople
        self.seesReports = seesReports
        self.seesOperation = seesOperation
    }

    /// Of a service without tokens: everything, under a name that is stated and not checked.
    package static let unnamed = Viewer(
        name: nil, decides: true, operates: true, seesPeople: true, seesReports: true,
        seesOperation: true)
}
