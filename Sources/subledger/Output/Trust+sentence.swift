import Ledger

extension Trust {
    /// For people: what vouches for it.
    var sentence: String {
        switch self {
        case .signed: "Apple's signature"
        case .transport: "what Apple answered, unsigned (transport)"
        case .secret: "the app's shared secret alone (secret)"
        case .operator: "an operator's word (operator)"
        case .xcode: "a certificate of Xcode's own, which proves nothing (xcode)"
        }
    }

    /// Behind what a chain without access rests on, for people: why it has none.
    static let tooLittle = ", less than entitlement.minimumTrust asks for"
}
