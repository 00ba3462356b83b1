package import Ledger
package import LedgerStore

extension Trust {
    /// The trust anchor, for people.
    package var sentence: String {
        switch self {
        case .signed: "Apple's signature"
        case .transport: "an unsigned response from Apple (transport)"
        case .secret: "the app's shared secret alone (secret)"
        case .operator: "an operator's command (operator)"
        case .xcode: "an Xcode certificate, which proves nothing (xcode)"
        }
    }

    /// Suffix for a chain whose trust is too low for access.
    package static let tooLittle = ", below entitlement.minimumTrust"
}

extension EventAttributes {
    /// What vouches for the event, for people. Trust `transport` includes the ledger's own records
    /// of sweeps and what an operator imported, neither of which Apple sent to it.
    package var vouching: String {
        switch (trust, kind, source) {
        case (.transport, .sweep, _): "this service's record of what Apple answered (transport)"
        case (.transport, _, .import): "the operator who imported it (transport)"
        default: trust.sentence
        }
    }
}
