package import Service

/// Who looks at a page, and what they may do.
package struct Viewer: Sendable, Hashable {
    /// The name of the token or of the proxy's user that signed in; nil where no tokens are
    /// configured.
    package let name: String?
    /// Whether a session can be ended here, and not at a proxy.
    package let hasSession: Bool
    private let scopes: Set<Scope>

    package init(name: String?, scopes: Set<Scope>, hasSession: Bool) {
        self.name = name
        self.scopes = scopes
        self.hasSession = hasSession
    }

    /// Of a service without tokens: everything, under a name that is stated and not checked.
    package static let unnamed = Viewer(
        name: nil, scopes: Set(Scope.allCases), hasSession: true)

    private func hasOne(of needed: Set<Scope>) -> Bool { !scopes.isDisjoint(with: needed) }

    /// May link, grant and note.
    package var decides: Bool { hasOne(of: [.write]) }
    /// May retry, recover, redeliver, audit and erase.
    package var operates: Bool { hasOne(of: [.admin]) }
    /// May see customers, subscriptions and events.
    package var seesPeople: Bool { hasOne(of: [.read, .support]) }
    /// May see reports.
    package var seesReports: Bool { hasOne(of: [.read, .reports]) }
    /// May see intake, webhooks, audits, and the lists of quarantine and recoveries, whose entries
    /// name people.
    package var seesOperation: Bool { hasOne(of: [.read, .admin]) }
}
