package import Ledger

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
