internal import AppStore
internal import Ledger
internal import LedgerStore

extension FactDecoder {
    /// An operator's command, among the facts of the chain or of the customer it concerns.
    ///
    /// Nil where the customer cannot be determined any more (erased), and for a conflict: a second
    /// decision under the id of another never takes effect, and its sender has received the
    /// conflict as the answer.
    static func command(_ logged: LoggedEvent) -> Decoded? {
        let event = logged.event
        guard !event.isConflict else { return nil }
        let chain = event.attributes.chain.map {
            ChainId(bundleId: event.attributes.bundleId, originalTransactionId: $0)
        }
        let bytes = try? logged.evidence?.originalBytes()
        let command = bytes.flatMap { try? JSONValue.parse($0) }.flatMap { Command(evidence: $0) }
        let flaw: Fact.Flaw? =
            command != nil
            ? nil : logged.evidence == nil && logged.damage == nil ? .erased : .undecodable
        guard let home = chain ?? command?.customer.map({ ChainId(customer: $0) }) else {
            return nil
        }
        return Decoded(
            chain: home,
            fact: Fact(
                position: event.position, receivedAt: event.receivedAt.clamped,
                trust: event.attributes.trust, cause: Cause(kind: .command), signedDate: nil,
                digest: event.payloadHash, flaw: flaw, command: command))
    }
}
