public import AppStore
internal import AppleSync
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries
import Signing

/// A request to Apple about one customer, for an operator who waits for it.
public enum AppleLookup: Sendable, Hashable {
    /// History and statuses of a subscription, or of any purchase.
    case chain(ChainId)
    /// The purchases of an order id in Apple's mail to a customer.
    case order(String)

    fileprivate var request: [String] {
        switch self {
        case .chain(let chain): ["chain", chain.bundleId.rawValue, "\(chain)"]
        case .order(let id): ["order", id]
        }
    }
}

/// Apple did not answer, or refused, or evidence in its answer was refused here, which is in
/// quarantine; everything else that it sent is kept.
public struct LookupFailure: Error, Sendable, Equatable {
    public let code: String
    public let message: String
}

extension LedgerHost {
    /// Requests data from Apple and appends it. Answers include it from the head of the ledger on,
    /// as known when this returns.
    ///
    /// Returns a transaction of the order, or nil where Apple names none.
    ///
    /// Throws `OperatorError` (`missingKey`), `IntakeRefusal` (`wrongEnvironment`: an order outside
    /// Production), `LookupFailure`, `CommandError`, `ServingError` or `StoreError`.
    public func lookUp(
        _ lookup: AppleLookup, _ order: CommandIntake.Order, _ environment: Environment
    ) async throws -> OperatorAct<String?> {
        let served = try ledger(environment)
        try requireClock()
        if case .order = lookup, environment != .production {
            throw IntakeRefusal(
                .malformed, code: VerificationCode.wrongEnvironment.rawValue,
                message: "Apple looks orders up in Production only; nothing was requested. Look"
                    + " this one up in Production.")
        }
        return try await act("lookUp", lookup.request, order, in: served) {
            let found: String?
            do {
                found = try await reach.requests.run(lookup, environment)
            } catch AppleRequestFailure.store(let error) {
                // Ours, not Apple's: answered as elsewhere, without the path of a file.
                throw error
            } catch let error as AppleRequestFailure {
                throw LookupFailure(code: error.code, message: error.message)
            }
            // What was asked is not asked again because the log cannot be read now.
            if let head = try? await served.ledger.log.head().position {
                served.board.reached(head: head)
                served.wake.raise()
            }
            return found
        }
    }
}
