import AppStore
import AppStoreAPI
internal import AppleSync
internal import Intake
import Ledger
internal import LedgerStore

/// Requests Apple's data on purchases while a client waits: a receipt contains no renewals.
struct ReceiptRequests: Sendable {
    var clients: [BundleId: AppStoreServerAPIClient] = [:]
    /// Where answers are appended; nil until it is set.
    var ledgers: EnvironmentLedgers?

    /// Maximum chains of one receipt that are requested, those bought last first; `backfill`
    /// fetches the rest.
    static let chainCount = 20

    /// The result of the requests.
    struct Outcome: Sendable {
        var chains = 0
        var requests: Int64 = 0
        var appended: Int64 = 0
        /// Why a request failed; nil when all succeeded.
        var failure: String?
    }

    /// Requests what an operator looks up, for the ledger of one environment. Returns a transaction
    /// of an order.
    ///
    /// Throws `AppleRequestFailure`, `LookupFailure` where evidence in an answer was refused, or
    /// `OperatorError` (`missingKey`).
    func run(_ lookup: AppleLookup, _ environment: Environment) async throws -> String? {
        func requests(_ id: String, _ app: BundleId) throws -> CustomerRequests {
            guard let client = clients[app], let ledgers else {
                throw OperatorError(.missingKey, "The app has no API key here.")
            }
            return CustomerRequests(client, ledgers: ledgers, id: id, in: .only(environment))
        }
        switch lookup {
        case .chain(let chain):
            var requests = try requests(chain.originalTransactionId.rawValue, chain.bundleId)
            try await requests.purchases()
            try ReceiptRequests.require(none: requests.tally.taken.errors.first)
            return nil
        case .order(let id):
            // Order ids name no app, so the order is requested for each app with a key. The key of
            // one may be refused, or its allowance spent, while another app has the order.
            var refused: IngestError?
            var failed: AppleRequestFailure?
            for app in clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                var requests = try requests(id, app)
                do throws(AppleRequestFailure) {
                    if let found = try await requests.order(), requests.tally.taken.errors.isEmpty {
                        return found
                    }
                } catch {
                    guard case .apple(let failure) = error, failure.code != .cancelled else {
                        throw error
                    }
                    failed = failed ?? error
                }
                refused = refused ?? requests.tally.taken.errors.first
            }
            try ReceiptRequests.require(none: refused)
            if let failed { throw failed }
            return nil
        }
    }

    private static func require(none refusal: IngestError?) throws(LookupFailure) {
        guard let refusal else { return }
        throw LookupFailure(
            code: refusal.code,
            message: "Evidence in Apple's answer was refused, and is in quarantine:"
                + " \(refusal.message)")
    }

    /// Requests history and statuses of every chain, in order; nil without a client of the app. A
    /// history holds all of a customer's transactions, so chains that it covered are not requested
    /// again. A failed request does not affect the receipt itself.
    func run(
        _ chains: [OriginalTransactionId], of bundleId: BundleId, _ environment: Environment,
        isReported: (OriginalTransactionId) async -> Bool
    ) async -> Outcome? {
        guard let client = clients[bundleId], let ledgers else { return nil }
        var outcome = Outcome()
        for chain in chains.prefix(ReceiptRequests.chainCount) {
            if outcome.chains > 0, await isReported(chain) { continue }
            var requests = CustomerRequests(
                client, ledgers: ledgers, id: chain.rawValue, in: .only(environment))
            var isOver = false
            do throws(AppleRequestFailure) {
                try await requests.purchases()
            } catch {
                outcome.failure = outcome.failure ?? error.code
                // Apple may know another id.
                isOver = !error.isUnknownId
            }
            outcome.chains += 1
            outcome.requests += requests.tally.requests
            outcome.appended += requests.tally.taken.appended + requests.tally.taken.conflicts
            // Further requests would fail too.
            if isOver { break }
        }
        return outcome
    }
}
