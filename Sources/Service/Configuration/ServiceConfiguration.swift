public import Intake
public import Ledger

/// Everything an operator can set (`Contract.md`, Files): the ledger's own settings, how the
/// service is reached, and the webhooks. The ledger's settings can be read and set as members.
@dynamicMemberLookup
public struct ServiceConfiguration: Sendable, Equatable {
    public var ledger: Configuration
    public var server: Server
    public var webhooks: [Webhook] = []
    /// How checkpoints of the logs are signed; at most one entry for each environment.
    public var audits: [Audit] = []
    /// The table of rates that reports are converted by (`RatesFile`); nil: currencies stay
    /// separate.
    public var ratesFile: String?
    /// Which retention messages are shown; the first rule that applies decides.
    public var retention: [RetentionRule] = []

    public static let defaultFile = "subledger.yaml"

    public init(_ ledger: Configuration = Configuration(), server: Server = Server()) {
        self.ledger = ledger
        self.server = server
    }

    public subscript<Value>(dynamicMember setting: WritableKeyPath<Configuration, Value>) -> Value {
        get { ledger[keyPath: setting] }
        set { ledger[keyPath: setting] = newValue }
    }
}
