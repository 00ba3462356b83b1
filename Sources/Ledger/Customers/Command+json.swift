public import AppStore

extension Command {
    /// Name of the action in evidence and answers.
    public enum Name: String, Sendable, CaseIterable {
        case link
        case unlink
        case claim
        case grant
        case ungrant
        case note
    }

    public var name: Name {
        switch action {
        case .link: .link
        case .unlink: .unlink
        case .claim: .claim
        case .grant: .grant
        case .ungrant: .ungrant
        case .note: .note
        }
    }

    /// The event's evidence: one JSON object with a fixed member order.
    ///
    /// - Parameter chain: the chain, unless the command is about a customer.
    public func evidence(about chain: ChainId?) -> [UInt8] {
        JSONWriter.object { json in
            json.member("command", name.rawValue)
            json.member("id", id)
            json.member("actor", actor)
            json.memberIfPresent("tokenName", tokenName)
            json.member("reason", reason)
            json.memberIfPresent("bundleId", chain?.bundleId)
            json.memberIfPresent("originalTransactionId", chain?.originalTransactionId)
            json.memberIfPresent("customer", customer)
            switch action {
            case .claim(_, let policy): json.member("policy", policy.rawValue)
            case .grant(_, let entitlement, let until):
                json.member("entitlement", entitlement)
                json.member("until", until.milliseconds)
            case .ungrant(_, let grant): json.member("grantId", grant)
            case .link, .unlink, .note: break
            }
        }
    }

    /// Parses `evidence(about:)`; nil if this version does not understand it.
    public init?(evidence: JSONValue) {
        guard let name = evidence["command"]?.string.flatMap({ Name(rawValue: $0) }),
            let id = evidence["id"]?.string, let actor = evidence["actor"]?.string,
            let reason = evidence["reason"]?.string
        else { return nil }
        let customer = evidence["customer"]?.string.map { CustomerId($0) }
        let action: Action?
        switch name {
        case .link: action = customer.map { .link($0) }
        case .unlink: action = customer.map { .unlink($0) }
        case .claim:
            let policy = evidence["policy"]?.string.flatMap { ClaimPolicy(rawValue: $0) }
            action = customer.flatMap { customer in policy.map { .claim(customer, policy: $0) } }
        case .grant:
            guard let customer, let entitlement = evidence["entitlement"]?.string,
                let until = evidence["until"]?.int64
            else { return nil }
            action = .grant(
                customer, entitlement: entitlement, until: Timestamp(milliseconds: until).clamped)
        case .ungrant:
            let grant = evidence["grantId"]?.string
            action = customer.flatMap { customer in grant.map { .ungrant(customer, grant: $0) } }
        case .note: action = .note(customer)
        }
        guard let action else { return nil }
        self.init(
            id: id, actor: actor, tokenName: evidence["tokenName"]?.string, reason: reason,
            action: action)
    }
}
