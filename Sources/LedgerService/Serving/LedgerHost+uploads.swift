import AppStore
import Ledger
import LedgerStore

extension LedgerHost {
    /// What the sender of a transaction gets: its chain as it stands now, the event just appended
    /// included. The chain is folded directly, so the answer waits for no projector.
    ///
    /// The seam for customers: with `upload.customer` and `upload.chain`, the entitlements.
    public func answer(_ upload: UploadReceipt) async throws -> ServedAnswer {
        let ledger = upload.served
        let position = upload.receipt.position
        let reading: ChainReading? =
            if let chain = upload.chain {
                try await ledger.reading(of: chain, through: position, now: clock())
            } else { nil }
        return ServedAnswer(
            position: max(position, ledger.projectedPosition ?? 0), lag: ledger.lag.positions
        ) { json, isStamped in
            json.object { json in
                json.member("result", upload.receipt.result)
                json.member("position", position)
                json.key("subscription")
                if let reading {
                    reading.writeShow(to: &json, isStamped: isStamped)
                } else {
                    json.null()
                }
            }
        }
    }
}

extension ServedLedger {
    /// Events decoded directly for one answer; further behind, the answer waits for the projector.
    static let directEventCount = 1_000

    /// A chain with everything up to `position`, projected or not. Nil for one without any state.
    func reading(
        of chain: ChainId, through position: Int64, now: Timestamp
    ) async throws -> ChainReading? {
        var snapshot = try await snapshot()
        if position - snapshot.position > Int64(ServedLedger.directEventCount) {
            snapshot = try await self.snapshot(
                atLeast: position - Int64(ServedLedger.directEventCount))
        }
        var facts = try await snapshot.facts.facts(of: [chain]).flatMap(\.1)
        let known = Set(facts.map(\.position))
        let recent = try await ledger.log.events(
            after: snapshot.position, through: position, limit: ServedLedger.directEventCount)
        for event in recent where event.attributes.chain == chain.originalTransactionId {
            guard !known.contains(event.position),
                let logged = try await ledger.log.event(at: event.position),
                let decoded = try FactDecoder.decode(logged), decoded.chain == chain
            else { continue }
            facts.append(decoded.fact)
        }
        return ChainReading(
            chain: chain, facts: facts, shared: [], moment: Moment(at: nil, now: now),
            head: max(position, snapshot.position), ledger: ledger)
    }
}
