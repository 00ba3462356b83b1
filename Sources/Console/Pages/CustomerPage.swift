internal import AppStore
internal import Ledger
package import Queries

/// Why a customer has access or not: the answer, what to say, and the history that proves it.
package struct CustomerPage {
    let frame: Frame
    let answer: EntitlementsAnswer
    let reading: CustomerReading
    let entries: TimelinePage<CustomerReading.Entry>

    /// - Parameter before: the place that the page of the timeline ends before; nil: the newest.
    package init(
        _ frame: Frame, _ answer: EntitlementsAnswer, _ reading: CustomerReading,
        before: TimelinePlace?
    ) {
        var frame = frame.of(answer.stamp)
        if reading.chains.contains(where: \.stamp.isUnchecked) { frame.isUnchecked = true }
        self.frame = frame
        self.answer = answer
        self.reading = reading
        entries = reading.page(.newest, after: before, limit: TimelineRows.entryCount)
    }

    /// Whether nothing was ever received about the customer.
    package var isUnknown: Bool { !reading.isKnown }

    package var page: Page {
        let id = reading.customer.rawValue
        return Page(
            "Customer \(id)", frame, heading: "Customer <bdi class=\"id\">\(id)</bdi>", content)
    }

    private var content: HTML {
        """
        \(acts)
        \(frame.knowledgeForm)
        \(verdicts)
        \(standing)
        \(proof)
        \(chains)
        <h2>Timeline</h2>
        \(TimelineRows(frame: frame, isMerged: true).table(entries, gaps: gaps))
        \(entries.pager(frame))
        """
    }

    /// Whether something gives access, gave it or was bought (`Lifecycle.md` §6); nothing of a
    /// customer who is unknown.
    private var standing: HTML {
        isUnknown ? "" : .fields([("Standing", "\(answer.entitlements.standing.rawValue)")])
    }

    /// Empty where no event decides the answer.
    private var proof: HTML {
        let isBare =
            reading.chains.isEmpty && reading.elsewhere.isEmpty && reading.commands.isEmpty
        guard reading.isKnown, !isBare || frame.state.knowledge == .everything else { return "" }
        return frame.proof("customers", reading.customer.rawValue)
    }

    /// Gaps of each purchase, but for those that began after the customer had ceased to hold it.
    private var gaps: [(Notice, ChainReading)] {
        reading.chains.flatMap { chain in
            let stretches = chain.life.holders.stretches(of: reading.customer)
            return chain.answer.notices.filter { notice in
                notice.code.isGap
                    && stretches.contains { $0.to.map { notice.from < $0 } ?? true }
            }.map { ($0, chain) }
        }
    }

    private var acts: HTML {
        frame.acts(
            [("link", "Link"), ("grant", "Grant"), ("note", "Note")], "customers",
            reading.customer.rawValue)
    }

    // MARK: Verdicts

    private var verdicts: HTML {
        let explained = reading.explained(answer.entitlements)
        guard explained.isEmpty else {
            let warnings = warnings(explained)
            let answers = explained.map { place in
                explain(
                    place.verdict, place.reason, place.chain, place.number,
                    warnings[place.number] ?? [])
            }
            return answers.joined("") + elsewhere
        }
        if isUnknown { return frame.unknown(reading.customer.rawValue) }
        let why: HTML =
            reading.chains.isEmpty
            ? "this customer holds no purchase and no grant at \(frame.time(reading.moment.at))"
            : "none of this customer's purchases gives an entitlement (consumables never do)"
        return """
            <section class="verdict unknown"><p>– <b>No access</b>: \(why).</p>\(elsewhere)</section>
            """
    }

    /// Purchases that named the customer and belong to another one, with the event that decided it.
    private var elsewhere: HTML {
        reading.elsewhere.prefix(CustomerPage.chainCount).map { chain -> HTML in
            let holders = chain.life.holders.holders(at: chain.moment.at).map { holder -> HTML in
                let why = chain.facts[holder.cause]?.command.map { frame.timed($0.text) } ?? ""
                return
                    "\(frame.customer(holder.customer)) because of \(frame.event(holder.cause)) \(why)"
            }
            let whom: HTML = holders.isEmpty ? "no customer" : holders.joined(", ")
            return """
                <p class="rests">\(frame.chain(chain.chain)) named this customer and belongs to \
                \(whom).</p>
                """
        }.joined("")
    }

    /// The notices of each purchase, by the number of the verdict that they stand below: that of
    /// the product concerned, else the first one, which is the purchase's newest.
    private func warnings(
        _ explained: [CustomerReading.ExplainedVerdict]
    ) -> [Int: [Notice]] {
        var warnings: [Int: [Notice]] = [:]
        var seen: Set<ChainId> = []
        for first in explained {
            guard let chain = first.chain, seen.insert(chain.chain).inserted else { continue }
            let own = explained.filter { $0.chain?.chain == chain.chain }
            for notice in chain.answer.notices {
                let product = CustomerPage.product(of: notice, chain)
                let place = own.first { $0.verdict.productId == product } ?? first
                warnings[place.number, default: []].append(notice)
            }
        }
        return warnings
    }

    /// The product that a notice concerns; nil where it concerns none, several or the present one.
    private static func product(of notice: Notice, _ chain: ChainReading) -> ProductId? {
        // Whether a run renews concerns its last product.
        guard let period = notice.period, notice.code != .missingRenewalInfo else { return nil }
        return period.productId ?? chain.intervals.last { $0.from <= notice.from }?.productId
    }

    /// A verdict with its reason and advice, and what these notices warn of.
    func explain(
        _ verdict: Verdict, _ reason: AccessReason, _ chain: ChainReading?, _ number: Int,
        _ notices: [Notice]
    ) -> HTML {
        let until: HTML = verdict.until.map { " until \(frame.time($0))" } ?? ""
        let ended = verdict.ended(reason)
        let evidence = reading.evidence(of: verdict, reason, chain)
        let head: HTML =
            verdict.active
            ? "✓ <b>Access to \(verdict.entitlement)</b>\(until)"
            : "✗ <b>No access to \(verdict.entitlement)</b> since \(frame.time(ended))"
        // A purchase that continued as something else is not shown as a loss.
        let style = verdict.active ? "yes" : reason.isContinued ? "unknown" : "no"
        let id = "say-\(number)"
        return """
            <section class="verdict \(style)" data-reason="\(reason.rawValue)">
            <p>\(head): \(frame.timed(reading.cause(of: verdict, reason, chain))).</p>
            <p class="says">Say: “<span id="\(id)">\(reason.advice(of: chain))</span>”
            <button type="button" data-copy="\(id)" hidden>Copy</button></p>
            <p class="rests">Rests on \(frame.events(evidence)), \(verdict.trust.sentence)\
            \(linked(evidence, chain))\(lastArrival(chain)).</p>
            \(caveats(notices))\(withdrawal(verdict))
            </section>
            """
    }

    /// What the notices of a chain warn of, each sentence once.
    private func caveats(_ notices: [Notice]) -> HTML {
        var seen: Set<String> = []
        let every = notices.map(\.caveat).filter { seen.insert($0).inserted }
        guard !every.isEmpty else { return "" }
        let items = every.prefix(SubscriptionPage.noticeCount).map { caveat -> HTML in
            let found = notices.filter { $0.caveat == caveat }
            let events = Set(found.flatMap(\.evidence)).sorted()
            return "<li>\(frame.timed(caveat)) \(frame.events(events))</li>"
        }
        let rest = every.count - items.count
        let more: HTML = rest > 0 ? "<li>and \(rest) more, on the purchase's page</li>" : ""
        return "<ul class=\"caveats\">\(items)\(more)</ul>"
    }

    /// The links among the events that decide, their ends, and claims, which Apple did not sign.
    private func linked(_ evidence: [Int64], _ chain: ChainReading?) -> HTML {
        var (links, claims): ([Int64], [Int64]) = ([], [])
        for position in evidence {
            switch chain?.facts[position]?.command?.action {
            case .link, .unlink: links.append(position)
            case .claim: claims.append(position)
            default: break
            }
        }
        let parts = [
            (links, "linked or unlinked by an operator"), (claims, "claimed by an upload"),
        ].filter { !$0.0.isEmpty }.map { events, words -> HTML in
            "\(frame.events(events)): \(words)"
        }
        return parts.isEmpty ? "" : " (\(parts.joined("; ")))"
    }

    /// Without events whose arrival an import does not state.
    private func lastArrival(_ chain: ChainReading?) -> HTML {
        let arrivals = chain?.facts.values.filter { $0.command == nil && $0.isArrivalKnown }
        guard let last = arrivals?.map(\.receivedAt).max(), frame.state.at == nil else { return "" }
        return "; last heard \(frame.time(last))"
    }

    /// Each grant in force can be withdrawn, also one that does not decide.
    private func withdrawal(_ verdict: Verdict) -> HTML {
        guard frame.viewer.decides, !frame.state.isHistoric else { return "" }
        let grants = Grant.grants(reading.commands).filter { grant in
            grant.entitlement == verdict.entitlement && grant.customer == reading.customer
                && reading.moment.at < grant.end
        }
        return grants.map { grant -> HTML in
            let address = frame.url(
                "customers", reading.customer.rawValue, "ungrant", query: [("grant", grant.id)])
            return """
                <p class="acts"><a href="\(address)">Withdraw the grant</a> until \
                \(frame.time(grant.until))</p>
                """
        }.joined("")
    }

    // MARK: Chains

    private var chains: HTML {
        guard !reading.chains.isEmpty else { return "" }
        let shown = orderedChains.prefix(CustomerPage.chainCount)
        let rest = reading.chains.count - shown.count
        let more: HTML =
            rest > 0
            ? """
            <p class="muted">\(rest == 1 ? "1 further chain is" : "\(rest) further chains are") in the \
            timeline.</p>
            """ : ""
        let stretches = StateBand.stretchCount / shown.count
        return "<h2>Purchases</h2>\(shown.map { card($0, stretches) })\(more)"
    }

    /// Those that give the customer access first, then those whose last stretch began last.
    private var orderedChains: [ChainReading] {
        let ranked = reading.chains.map { chain in
            (
                rank: chain.givesAccess && holder(of: chain) != nil ? 1 : 0,
                from: chain.intervals.last?.from ?? chain.answer.since, chain: chain
            )
        }
        return ranked.sorted {
            ($0.rank, $0.from, $0.chain.chain) > ($1.rank, $1.from, $1.chain.chain)
        }.map(\.chain)
    }

    /// Chains that are shown with their states.
    static let chainCount = 10

    private func card(_ chain: ChainReading, _ stretches: Int) -> HTML {
        let answer = chain.answer
        let token: HTML =
            answer.appAccountToken.map { " · token <span class=\"id\">\($0.prefix(8))…</span>" }
            ?? ""
        let parts = [
            answer.productId?.rawValue ?? "unknown product", answer.price?.text,
            answer.storefront, answer.ownership.rawValue,
        ].compactMap { $0 }.joined(separator: " · ")
        let unlink: HTML
        if frame.viewer.decides, !frame.state.isHistoric,
            holder(of: chain)?.authority == .operator
        {
            let address = frame.url(
                "customers", reading.customer.rawValue, "unlink",
                query: [
                    ("chain", chain.chain.originalTransactionId.rawValue),
                    ("bundleId", frame.app(chain.chain)),
                ])
            unlink = " <a href=\"\(address)\">Unlink</a>"
        } else {
            unlink = ""
        }
        return """
            <section class="card" data-row><p>\(frame.chain(chain.chain)) \
            <span class="tag \(answer.isEntitled ? "good" : "bad")">\(answer.state.text)</span> \
            \(parts)\(token)\(unlink)</p>
            \(StateBand(frame: frame, reading: chain, count: stretches).svg)</section>
            """
    }

    /// On which authority the customer holds a chain at the moment; nil where it does not.
    private func holder(of chain: ChainReading) -> Holder? {
        chain.life.holders.holders(at: chain.moment.at).first { $0.customer == reading.customer }
    }
}
