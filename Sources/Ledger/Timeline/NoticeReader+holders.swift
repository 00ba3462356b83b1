import AppStore

extension NoticeReader {
    /// A token that names a customer other than an explicit link's (`Lifecycle.md` §6: the link
    /// takes precedence, and `tokenChanged` is raised).
    mutating func readTokensAgainst(_ holders: Holders) {
        for span in holders.spans where span.isLinked {
            let linked = Set(span.holders.map(\.customer))
            var other: (from: Timestamp, holder: Holder)?
            holders.tokens.each(from: span.from, to: span.to) { from, _, holder in
                guard other == nil, let holder, !linked.contains(holder.customer) else { return }
                other = (from, holder)
            }
            guard let other else { continue }
            add(
                .tokenChanged, from: other.from, to: span.to,
                positions: [other.holder.cause] + span.holders.map(\.cause),
                "The appAccountToken names a customer other than the link's; the link applies.")
        }
    }
}
