public import AppStore
public import AppStoreAPI
public import AppleSync
internal import LedgerStore
import Synchronization

/// Asks Apple what it knows of the purchases in a receipt, while whoever sent it waits: a receipt
/// knows no renewals.
public final class ReceiptQuestions: Sendable {
    private struct Access {
        var clients: [BundleId: AppStoreServerAPIClient] = [:]
        var books: AnswerBooks?
    }

    private let access = Mutex(Access())

    /// Chains of one receipt that are asked about, those bought last first; the rest is for
    /// `backfill`.
    public static let chainCount = 20

    init() {}

    /// What came of asking.
    struct Outcome: Sendable {
        var chains = 0
        var requests: Int64 = 0
        var appended: Int64 = 0
        /// Why a question had no answer; nil when all had.
        var failure: String?
    }

    /// From now on Apple can be asked, through these clients.
    public func use(_ clients: [BundleId: AppStoreServerAPIClient], _ books: AnswerBooks) {
        access.withLock { $0 = Access(clients: clients, books: books) }
    }

    /// History and statuses of every chain, in order; nil without a client of the app. A history
    /// holds all of a customer's transactions, so that chains it told of are not asked about again.
    /// What Apple cannot answer now changes nothing of what the receipt says.
    func ask(
        _ chains: [OriginalTransactionId], of bundleId: BundleId, _ environment: Environment,
        isTold: (OriginalTransactionId) async throws -> Bool
    ) async rethrows -> Outcome? {
        let (client, books) = access.withLock { ($0.clients[bundleId], $0.books) }
        guard let client, let books else { return nil }
        var outcome = Outcome()
        for chain in chains.prefix(ReceiptQuestions.chainCount) {
            if outcome.chains > 0, try await isTold(chain) { continue }
            var questions = CustomerQuestions(
                client, books: books, id: chain.rawValue, in: .only(environment))
            var isOver = false
            do throws(AskingFailure) {
                try await questions.statuses()
                try await questions.transactions()
                try await questions.extensions()
            } catch {
                outcome.failure = outcome.failure ?? error.code
                // Of another id Apple may know.
                isOver = !error.isUnknownId
            }
            outcome.chains += 1
            outcome.requests += Int64(questions.tally.requests)
            outcome.appended += questions.tally.appended
            // Another question would fare no better.
            if isOver { break }
        }
        return outcome
    }
}
