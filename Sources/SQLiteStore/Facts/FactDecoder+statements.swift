internal import AppStore
internal import Ledger
internal import LedgerStore
internal import Signing

extension FactDecoder {
    /// The facts of a receipt, of a verifyReceipt response or of a version 1 notification: one for
    /// each transaction it names.
    static func statements(_ logged: LoggedEvent) -> [ChainFact] {
        let event = logged.event
        guard let evidence = logged.evidence else { return blank(logged, flaw(ofMissing: logged)) }
        guard let bytes = try? evidence.originalBytes(), let statements = statements(bytes, event)
        else { return blank(logged, .undecodable) }
        return statements.parts.enumerated().map { part, statement in
            ChainFact(
                chain: ChainId(
                    bundleId: event.attributes.bundleId,
                    originalTransactionId: statement.originalTransactionId),
                fact: statement.fact, part: UInt16(part))
        }
    }

    private static func statements(_ bytes: [UInt8], _ event: RecordedEvent) -> ReceiptStatements? {
        let origin = FactOrigin(event)
        let statedAt = event.attributes.signedAt?.clamped
        // Each part has its own digest, since it has no separate payload.
        let digest: (Int) -> Digest = { part in
            var hasher = SHA256Hasher()
            hasher.update(event.payloadHash)
            hasher.update(bigEndian: UInt64(part))
            return hasher.finish()
        }
        switch event.attributes.kind {
        case .verifyReceipt:
            guard let response = try? VerifyReceiptResponse(bytes, clampsDates: true)
            else { return nil }
            return ReceiptStatements(response, origin: origin, statedAt: statedAt, digest: digest)
        case .notificationV1:
            guard let body = try? JSONValue.parse(bytes),
                let notification = try? NotificationV1(body, clampsDates: true)
            else { return nil }
            let receipt = notification.latestReceipt.flatMap {
                try? ReceiptVerifier.readUnverified(Array($0.utf8))
            }
            let isForeign = receipt?.bundleId.map { $0 != event.attributes.bundleId } ?? false
            return ReceiptStatements(
                notification, hasForeignReceipt: isForeign, origin: origin, statedAt: statedAt,
                digest: digest)
        case .receipt:
            guard let receipt = try? ReceiptVerifier.readUnverified(bytes) else { return nil }
            return ReceiptStatements(receipt, origin: origin, digest: digest)
        case .notification, .transaction, .renewalPair, .appTransaction, .command,
            .sweep, .erasure:
            return nil
        }
    }

    /// The facts in an erasure: those of the erased events, and one fact for each erased chain.
    /// None of one that no release wrote: it could state anything about a chain of an app.
    static func erased(_ logged: LoggedEvent) -> [ChainFact] {
        let event = logged.event
        guard let bytes = try? logged.evidence?.originalBytes(),
            let erasure = Erasure(evidence: bytes), erasure.isPlausible(at: event.position)
        else { return [] }
        // Metrics count nothing of a fact that cannot be folded.
        let purchases = Dictionary(
            grouping: erasure.facts.filter { $0.fact.flaw == nil }, by: \.chain.bundleId
        ).mapValues { stated in Set(stated.compactMap(\.fact.transaction?.purchaseDate)).sorted() }
        return erasure.facts
            + erasure.chains.map { chain in
                var fact = Fact(
                    position: event.position, receivedAt: event.receivedAt.clamped,
                    trust: event.attributes.trust, cause: Cause(kind: .erasure),
                    signedDate: nil, digest: event.payloadHash)
                fact.erasedPurchases = purchases[chain.bundleId] ?? []
                return ChainFact(chain: ChainId(erased: chain), fact: fact)
            }
    }

    /// An operator's command, among the facts of the chain or of the customer it concerns.
    ///
    /// Nil where the customer cannot be determined any more (erased), and for a conflict: a second
    /// decision under the id of another never takes effect, and its sender has received the
    /// conflict as the answer.
    static func command(_ logged: LoggedEvent) -> ChainFact? {
        let event = logged.event
        guard !event.isConflict else { return nil }
        let bytes = try? logged.evidence?.originalBytes()
        let command = bytes.flatMap { try? JSONValue.parse($0) }.flatMap { Command(evidence: $0) }
        let flaw: Fact.Flaw? =
            command != nil
            ? nil : logged.evidence == nil && logged.damage == nil ? .erased : .undecodable
        let customer = command?.customer.map { ChainId(customer: $0) }
        guard let home = event.attributes.chainId ?? customer else { return nil }
        return ChainFact(
            chain: home,
            fact: Fact(
                position: event.position, receivedAt: event.receivedAt.clamped,
                trust: event.attributes.trust, cause: Cause(kind: .command), signedDate: nil,
                digest: event.payloadHash, flaw: flaw, command: command))
    }
}
