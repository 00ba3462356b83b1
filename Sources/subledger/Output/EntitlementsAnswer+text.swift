import AppStore
import Ledger
import Queries

extension EntitlementsAnswer {
    /// `entitlements` for people.
    public func text() -> String {
        let groups = entitlements.groups.map { "\($0.group) \($0.standing.rawValue)" }
        let products = entitlements.products.map {
            "\($0.productId.rawValue) \($0.standing.rawValue)"
        }
        let known = stamp.knownAt.map { ", as known at \($0.rfc3339)" } ?? ""
        let rows = TextTable.labelled([
            ("products", products.isEmpty ? nil : products.joined(separator: ", ")),
            ("groups", groups.isEmpty ? nil : groups.joined(separator: ", ")),
            ("as of", "\(stamp.at.rfc3339), log position \(stamp.position)\(known)"),
        ])
        let heading = "\(customer) · \(entitlements.standing.rawValue)"
        return ([heading] + entitlements.verdicts.map { text($0) } + rows).printableText
    }

    /// The state; "was" marks a past state without access, since the subscription continued with
    /// another product or for another customer.
    private func stateText(_ verdict: Verdict) -> String {
        guard let state = verdict.state else { return "granted" }
        return state.isEntitled && !verdict.active && !isTooLittle(verdict)
            ? "was \(state.rawValue)" : state.rawValue
    }

    /// Whether only too low a trust prevents access (`Lifecycle.md` §6).
    private func isTooLittle(_ verdict: Verdict) -> Bool {
        guard !verdict.active, let state = verdict.state else { return false }
        return state.isEntitled && verdict.until.map { stamp.at < $0 } ?? true
    }

    private func text(_ verdict: Verdict) -> String {
        let access = verdict.active ? "yes (\(verdict.basis?.rawValue ?? ""))" : "no"
        var parts = [stateText(verdict)]
        if let product = verdict.productId { parts.append(product.rawValue) }
        parts.append("since \(verdict.since.rfc3339)")
        if let until = verdict.until { parts.append("until \(until.rfc3339)") }
        if let chain = verdict.originalTransactionId { parts.append("chain \(chain)") }
        let events = verdict.evidence.map(String.init).joined(separator: ", ")
        parts.append("events \(events)")
        if verdict.trust < .signed, verdict.basis != .grant {
            parts.append(
                "rests on \(verdict.trust.sentence)"
                    + (isTooLittle(verdict) ? Trust.tooLittle : ""))
        }
        return (verdict.entitlement + " ").padding(to: 16) + access.padding(to: 14)
            + parts.joined(separator: ", ")
    }
}
