internal import AppStore
import Ledger

/// Checks the texts of a command against their limits before anything is written.
package enum CommandCheck {
    static func check(_ command: Command) throws(CommandError) {
        try checkKey(command.id)
        try check(CommandIntake.Order(actor: command.actor, reason: command.reason))
        if let customer = command.customer { try check(customer) }
        switch command.action {
        case .grant(_, let entitlement, _):
            try check(
                entitlement, CommandLimits.entitlementByteCount, .invalidEntitlement,
                "An entitlement")
        case .ungrant(_, let grant):
            try check(grant, CommandLimits.idByteCount, .noSuchGrant, "A grant's id")
        case .link, .unlink, .claim, .note: break
        }
    }

    /// Throws for a command that gives something to a random id of an erasure, or to an id that is
    /// a path segment of its own (RFC 3986 §5.2.4): no client could ask for that customer.
    static func checkPerson(_ command: Command) throws(CommandError) {
        switch command.action {
        case .unlink, .ungrant: return
        case .link, .claim, .grant, .note: break
        }
        guard command.customer?.isPseudonym != true else {
            throw CommandError(.invalidCustomer, Pseudonyms.refusal)
        }
        guard command.customer.map({ ![".", ".."].contains($0.rawValue) }) ?? true else {
            throw CommandError(
                .invalidCustomer,
                "The customer id is `.` or `..`, which HTTP clients remove from addresses: use"
                    + " another id.")
        }
    }

    /// Checks the actor, reason and key of a command.
    package static func check(_ order: CommandIntake.Order) throws(CommandError) {
        try check(order.actor, CommandLimits.actorByteCount, .invalidActor, "An actor")
        try check(order.reason, CommandLimits.reasonByteCount, .invalidReason, "A reason")
        if let key = order.key { try checkKey(key) }
    }

    /// Whether a text can name the author of a command.
    package static func isActor(_ text: String) -> Bool {
        isValid(text, CommandLimits.actorByteCount)
    }

    package static func checkKey(_ key: String) throws(CommandError) {
        try check(key, CommandLimits.idByteCount, .invalidIdempotencyKey, "An idempotency key")
    }

    package static func check(_ customer: CustomerId) throws(CommandError) {
        try check(
            customer.rawValue, CommandLimits.customerByteCount, .invalidCustomer, "A customer id")
    }

    private static func check(
        _ text: String, _ limit: Int, _ code: CommandError.Code, _ name: String
    ) throws(CommandError) {
        guard isValid(text, limit) else {
            throw CommandError(
                code, "\(name) takes 1 to \(limit) bytes of text without control characters.")
        }
    }

    private static func isValid(_ text: String, _ limit: Int) -> Bool {
        let isPrintable = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
        }
        return isPrintable && text.utf8.count <= limit
            && text.unicodeScalars.contains { !$0.properties.isWhitespace }
    }
}
