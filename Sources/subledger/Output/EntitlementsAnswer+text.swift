import AppStore
import Ledger
import Queries

extension EntitlementsAnswer {
    /// `entitlements` for people.
    public func text() -> String {
        var lines = ["\(customer) · \(entitlements.standing.rawValue)"]
        for verdict in entitlements.verdicts { lines.append(text(verdict)) }
        let groups = entitlements.groups.map { "\($0.group) \($0.standing.rawValue)" }
        let products = entitlements.products.map {
            "\($0.productId.rawValue) \($0.standing.rawValue)"
        }
        if !products.isEmpty {
            lines.append("products".padding(to: 16) + products.joined(separator: ", "))
        }
        if !groups.isEmpty {
            lines.append("groups".padding(to: 16) + groups.joined(separator: ", "))
        }
        let known = stamp.knownAt.map { ", as known at \($0.rfc3339)" } ?? ""
        lines.append(
            "as of".padding(to: 16) + "\(stamp.at.rfc3339), log position \(stamp.position)\(known)")
        return lines.printableText
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
