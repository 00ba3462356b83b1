internal import AppStore
public import Ledger
public import LedgerStore

/// Decodes the evidence of one event of the log into the facts it states.
public enum FactDecoder {
    /// The facts of an event; none for an event that belongs to no chain.
    ///
    /// Total: evidence that was erased, that cannot be reassembled, or that this version cannot
    /// decode gives a fact that changes nothing and is flagged (`Lifecycle.md` §4, `unreadable`;
    /// `Log.md` §3: no chain ever stops the others). Dates outside the years 1 to 9999, which
    /// earlier releases accepted, are clamped to that range.
    public static func decode(_ logged: LoggedEvent) -> [ChainFact] {
        let event = logged.event
        switch event.attributes.kind {
        case .command: return command(logged).map { [$0] } ?? []
        case .erasure: return erased(logged)
        case .receipt, .verifyReceipt, .notificationV1: return statements(logged)
        case .notification, .transaction, .renewalPair, .appTransaction, .sweep: break
        }
        guard let chain = event.attributes.chainId else { return [] }
        guard let evidence = logged.evidence else { return blank(logged, flaw(ofMissing: logged)) }
        guard let payloads = try? evidence.payloads(of: event.attributes.kind) else {
            return blank(logged, .undecodable)
        }
        do throws(JSONError) {
            let origin = FactOrigin(event)
            guard let fact = try fact(event.attributes.kind, payloads, origin) else { return [] }
            return [ChainFact(chain: chain, fact: fact)]
        } catch {
            return blank(logged, .undecodable)
        }
    }

    private static func fact(
        _ kind: EventKind, _ payloads: EvidencePayloads, _ origin: FactOrigin
    ) throws(JSONError) -> Fact? {
        switch kind {
        case .notification:
            let notification = try NotificationPayload.decode(payloads.outer, clampsDates: true)
            let data = notification.data
            return Fact(
                notification: notification,
                transaction: try decode(part(data?.signedTransactionInfo, payloads.transaction)),
                renewal: try decode(part(data?.signedRenewalInfo, payloads.renewal)),
                origin: origin)
        case .transaction:
            return Fact(
                transaction: try TransactionPayload.decode(payloads.outer, clampsDates: true),
                origin: origin)
        case .renewalPair:
            guard let transaction: TransactionPayload = try decode(payloads.transaction) else {
                return nil
            }
            return Fact(
                pair: transaction, renewal: try decode(payloads.renewal),
                status: payloads.status.map { Raw(rawValue: $0) }, origin: origin)
        case .appTransaction, .receipt, .verifyReceipt, .notificationV1, .command, .sweep,
            .erasure:
            return nil
        }
    }

    /// The payload of a signed part whose field has this text (`EvidencePayloads.outer`).
    private static func part(_ text: String?, _ extracted: [UInt8]?) -> [UInt8]? {
        guard let text else { return nil }
        return text.isEmpty ? extracted : PackedEvidence.payload(ofToken: Array(text.utf8))
    }

    private static func decode<Payload: WireObject>(
        _ bytes: [UInt8]?
    ) throws(JSONError) -> Payload? {
        guard let bytes else { return nil }
        return try Payload.decodeUnlessNull(bytes, clampsDates: true)
    }

    /// Why the evidence is missing.
    static func flaw(ofMissing logged: LoggedEvent) -> Fact.Flaw {
        logged.damage == nil ? .erased : .undecodable
    }

    /// The fact of an event whose evidence has no readable content; none where the event names no
    /// chain.
    static func blank(_ logged: LoggedEvent, _ flaw: Fact.Flaw) -> [ChainFact] {
        let (event, attributes) = (logged.event, logged.event.attributes)
        guard let chain = attributes.chainId else { return [] }
        let fact = Fact(
            position: event.position, receivedAt: event.receivedAt.clamped,
            trust: attributes.trust,
            cause: Cause(
                kind: attributes.kind,
                notificationType: attributes.notificationType.map { Raw(rawValue: $0) },
                subtype: attributes.subtype.map { Raw(rawValue: $0) },
                notificationUUID: attributes.notificationUUID),
            signedDate: attributes.signedAt?.clamped, digest: event.payloadHash, flaw: flaw)
        return [ChainFact(chain: chain, fact: fact)]
    }
}

extension FactOrigin {
    init(_ event: RecordedEvent) {
        self.init(
            position: event.position, receivedAt: event.receivedAt.clamped,
            isArrivalKnown: event.isArrivalKnown,
            trust: event.attributes.trust, digest: event.payloadHash)
    }
}
