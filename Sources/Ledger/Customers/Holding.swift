public import AppStore

/// One chain as held by one customer: all inputs of a verdict (`Lifecycle.md` §6) that do not
/// depend on the clock.
public struct Holding: Hashable, Sendable {
    public var originalTransactionId: OriginalTransactionId
    /// In order of time. Before `completeFrom`, only the last of each product.
    public var stretches: [HoldingInterval]
    /// Verdicts at this time and later can be computed from this; earlier ones need the whole life.
    public var completeFrom: Timestamp
    /// A renewal is overdue.
    public var overdue: Overdue?
    /// Whether the chain's trust suffices for access (`Lifecycle.meetsMinimumTrust`).
    public var meetsMinimumTrust: Bool

    /// `renewalOverdue` (`Lifecycle.md` §4): holds from E, the end of the last period.
    public struct Overdue: Hashable, Sendable {
        public var from: Timestamp
        public var evidence: [Int64]

        public init(from: Timestamp, evidence: [Int64]) {
            self.from = from
            self.evidence = evidence
        }

        /// The end of the leeway that it begins, at a moment inside; else nil.
        func leewayEnd(at: Timestamp, _ milliseconds: Int64) -> Timestamp? {
            let end = from.advanced(byMilliseconds: milliseconds)
            return from <= at && at < end ? end : nil
        }
    }

    /// Stretches kept in a shortened holding: a period, grace, retry and one more.
    public static let shortStretchCount = 4

    public init(
        originalTransactionId: OriginalTransactionId, stretches: [HoldingInterval],
        completeFrom: Timestamp, overdue: Overdue?, meetsMinimumTrust: Bool
    ) {
        self.originalTransactionId = originalTransactionId
        self.stretches = stretches
        self.completeFrom = completeFrom
        self.overdue = overdue
        self.meetsMinimumTrust = meetsMinimumTrust
    }
}

extension Lifecycle {
    /// The chain as held by the customer; without stretches if the customer never holds it, or if
    /// it is never an entitlement (a consumable: `Lifecycle.md` §5).
    ///
    /// - `limit`: keep only this many stretches at the end, and before them the last of
    ///   each product; nil keeps all.
    public func holding(
        of customer: CustomerId, chain: ChainId, limit: Int? = nil
    ) -> Holding {
        HoldingReader(
            history: history, holders: holders, meetsMinimumTrust: meetsMinimumTrust
        ).read(customer, chain.originalTransactionId, overdue: overdue, limit: limit)
    }

    /// The end of the leeway that gives access at a moment to who holds the chain (`Lifecycle.md`
    /// §6), and the events of the overdue renewal; nil where none does.
    ///
    /// - Parameter milliseconds: the catalogue's leeway.
    package func leeway(
        at: Timestamp, _ milliseconds: Int64
    ) -> (until: Timestamp, evidence: [Int64])? {
        guard meetsMinimumTrust, let overdue, let until = overdue.leewayEnd(at: at, milliseconds),
            let interval = history.interval(at: at).map({ intervals[$0] }),
            interval.state == .expired
        else { return nil }
        return (min(until, interval.to ?? until), overdue.evidence)
    }

    private var overdue: Holding.Overdue? {
        notices.first { $0.code == .renewalOverdue }.map {
            Holding.Overdue(from: $0.from, evidence: $0.evidence)
        }
    }
}

/// Cuts a chain's intervals to the time in which a customer holds it.
private struct HoldingReader {
    let history: History
    let holders: Holders
    let meetsMinimumTrust: Bool

    /// A part of an interval inside a stretch of holding.
    private struct Piece {
        let interval: Int
        let from: Timestamp
        let to: Timestamp?
        /// The stretch of holding.
        let heldFrom: Timestamp
        let heldTo: Timestamp?
        let cause: Int64
        let tokenTrust: Trust?
    }

    func read(
        _ customer: CustomerId, _ id: OriginalTransactionId, overdue: Holding.Overdue?, limit: Int?
    ) -> Holding {
        let pieces = isConsumable ? [] : pieces(customer)
        let start = limit.map { max(0, pieces.count - $0) } ?? 0
        let first = pieces.indices.contains(start) ? product(pieces[start]) : nil
        let isOneProduct = pieces[..<start].allSatisfy { product($0) == first }
        let earlier =
            isOneProduct
            ? [] : lastOfEachProduct(pieces[..<start]).filter { product($0) != first }
        return Holding(
            originalTransactionId: id,
            stretches: (earlier + pieces[start...]).map { stretch($0) },
            completeFrom: start == 0 ? Timestamp(milliseconds: .min) : pieces[start].from,
            overdue: pieces.isEmpty ? nil : overdue, meetsMinimumTrust: meetsMinimumTrust)
    }

    private var isConsumable: Bool {
        guard history.isOneTime, let period = history.periods.first else { return false }
        // The catalogue cannot make a transaction without a type a consumable.
        return history.facts[period.bestFact].statedTransaction?.type?.value == .consumable
    }

    private func pieces(_ customer: CustomerId) -> [Piece] {
        var pieces: [Piece] = []
        pieces.reserveCapacity(history.intervals.count)
        for held in holders.stretches(of: customer) {
            for index in history.intervals.indices {
                let (from, to) = (history.intervals[index].from, history.intervals[index].to)
                if let to, to <= held.from { continue }
                if let heldTo = held.to, heldTo <= from { break }
                pieces.append(
                    Piece(
                        interval: index, from: max(from, held.from), to: earlier(to, held.to),
                        heldFrom: held.from, heldTo: held.to, cause: held.cause,
                        tokenTrust: held.tokenTrust))
            }
        }
        return pieces
    }

    private func lastOfEachProduct(_ pieces: ArraySlice<Piece>) -> [Piece] {
        var seen: Set<ProductId?> = []
        return pieces.reversed().filter { seen.insert(product($0)).inserted }.reversed()
    }

    private func product(_ piece: Piece) -> ProductId? {
        history.intervals[piece.interval].productId
    }

    private func stretch(_ piece: Piece) -> HoldingInterval {
        let (intervals, facts) = (history.intervals, history.facts)
        let bestFact = history.periods[intervals[piece.interval].period].bestFact
        let state = intervals[piece.interval].state
        let (first, last) = history.unbroken(around: piece.interval) { $0 == state }
        var evidence = positions(piece.interval) + [piece.cause]
        if piece.heldFrom > intervals[first].from {
            evidence += holders.change(at: piece.heldFrom).evidence
        }
        let ending = ending(piece)
        return HoldingInterval(
            state: state, from: piece.from, to: piece.to,
            since: max(intervals[first].from, piece.heldFrom),
            until: earlier(intervals[last].to, piece.heldTo),
            accessEnded: accessEnded(piece.interval) ?? piece.from,
            productId: intervals[piece.interval].productId,
            group: facts[bestFact].statedTransaction?.subscriptionGroupIdentifier,
            trust: min(history.trust(of: piece.interval), piece.tokenTrust ?? .signed),
            evidence: evidence.ascending(), endTrust: ending.trust,
            endEvidence: ending.evidence.ascending())
    }

    private func positions(_ interval: Int) -> [Int64] {
        history.decidingFacts(of: interval).map { history.facts[$0].position }
    }

    /// The events by which another product or other holders follow, and the lowest trust among
    /// them.
    private func ending(_ piece: Piece) -> (evidence: [Int64], trust: Trust) {
        var ending: (evidence: [Int64], trust: Trust) = ([], .signed)
        let next = piece.interval + 1
        if next < history.intervals.count, history.intervals[next].from == piece.to,
            history.intervals[next].productId != product(piece)
        {
            ending = (positions(next), history.trust(of: next))
        }
        if let end = piece.heldTo, end == piece.to {
            let change = holders.change(at: end)
            ending.evidence += change.evidence
            ending.trust = min(ending.trust, change.trust)
        }
        return ending
    }

    private func accessEnded(_ index: Int) -> Timestamp? {
        guard !history.intervals[index].state.isEntitled else { return nil }
        let intervals = history.intervals
        let last = intervals.indices[..<index].last { intervals[$0].state.isEntitled }
        return last.flatMap { intervals[$0].to }
    }
}

extension Holders {
    /// The stretches of time in which a customer holds the chain, and why; adjacent ones of equal
    /// trust are joined.
    public func stretches(
        of customer: CustomerId
    ) -> [(from: Timestamp, to: Timestamp?, cause: Int64, tokenTrust: Trust?)] {
        var found: [(from: Timestamp, to: Timestamp?, cause: Int64, tokenTrust: Trust?)] = []
        for span in spans {
            guard let holder = span.holders.first(where: { $0.customer == customer }) else {
                continue
            }
            if let last = found.last, last.to == span.from,
                (last.tokenTrust ?? .signed) == (holder.tokenTrust ?? .signed)
            {
                found[found.count - 1].to = span.to
            } else {
                found.append((span.from, span.to, holder.cause, holder.tokenTrust))
            }
        }
        return found
    }
}
