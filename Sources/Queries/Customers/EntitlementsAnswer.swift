public import AppStore
public import Ledger

/// The entitlements of one customer at one moment: the `entitlements` object of `Contract.md`.
public struct EntitlementsAnswer: Hashable, Sendable, JSONWritable {
    public let customer: CustomerId
    public let stamp: AnswerStamp
    public let entitlements: Entitlements

    package init(customer: CustomerId, stamp: AnswerStamp, entitlements: Entitlements) {
        self.customer = customer
        self.stamp = stamp
        self.entitlements = entitlements
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in writeMembers(to: &json) }
    }

    /// The object without its braces.
    ///
    /// - Parameter isUnknown: the answer is about no customer.
    package func writeMembers(to json: inout JSONWriter, isUnknown: Bool = false) {
        json.member("customer", isUnknown ? nil : customer)
        stamp.writeMembers(to: &json)
        entitlements.writeMembers(to: &json, isUnknown: isUnknown)
    }
}

extension Entitlements {
    /// The standing in total, and by entitlement, product and group.
    ///
    /// - Parameter isUnknown: the answer is about no customer.
    package func writeMembers(to json: inout JSONWriter, isUnknown: Bool = false) {
        json.member("standing", isUnknown ? nil : standing.rawValue)
        json.objects("entitlements", verdicts) { $1.writeMembers(to: &$0) }
        json.objects("products", products) { json, product in
            json.member("productId", product.productId)
            json.member("standing", product.standing.rawValue)
        }
        json.objects("groups", groups) { json, group in
            json.member("group", group.group)
            json.member("standing", group.standing.rawValue)
        }
    }
}

extension Verdict {
    package func writeMembers(to json: inout JSONWriter) {
        json.member("entitlement", entitlement)
        json.member("active", active)
        json.member("basis", basis?.rawValue)
        json.member("state", state?.rawValue)
        json.member("productId", productId)
        json.member("since", since)
        json.member("until", until)
        json.member("originalTransactionId", originalTransactionId)
        json.member("trust", trust.rawValue)
        json.array("evidence", evidence)
    }
}
