import AppStore
import AppStoreAPI
import Ledger
import LedgerStore

/// Looks one chain up: the cheapest question that may close its notices first, and no further one
/// once they are closed.
struct NoticeLookup: Sendable {
    let client: AppStoreServerAPIClient
    let books: AnswerBooks
    let environment: Environment
    let codes: [NoticeCode]
    let projected: Reconcile.Projected
    let now: Timestamp

    func run(_ work: ReconcileWork) async -> ChainReconciliation {
        var result = ChainReconciliation(chain: work.chain, before: work.codes)
        var questions = CustomerQuestions(
            client, books: books, id: work.chain.originalTransactionId.rawValue,
            in: .only(environment))
        var isUnknown = false
        do throws(AskingFailure) {
            for endpoint in endpoints(work) {
                let before = questions.tally
                do throws(AskingFailure) {
                    try await ask(endpoint, &questions)
                } catch {
                    guard error.isUnknownId else { throw error }
                    isUnknown = true
                }
                let after = questions.tally
                result.note(endpoint, before, after)
                guard after.appended + after.conflicts > before.appended + before.conflicts else {
                    continue
                }
                isUnknown = false
                result.after = try await open(work.chain, atLeast: after.position)
                if result.after.isEmpty { break }
            }
        } catch { result.failure = error }
        result.requests = questions.tally.requests
        result.refusal = questions.tally.refusal
        result.judge(isUnknown: isUnknown)
        return result
    }

    // MARK: Questions

    private func endpoints(_ work: ReconcileWork) -> [Endpoint] {
        // A notification that Apple no longer keeps explains nothing.
        let mayBeKept = work.notices.contains {
            $0.code == .renewalOverdue || $0.from > window
        }
        return (mayBeKept ? [.notificationHistory] : [])
            + [.allSubscriptionStatuses, .transactionHistory, .refundHistory]
    }

    /// The earliest time from which Apple still keeps notifications.
    private var window: Timestamp {
        now.advanced(
            byMilliseconds: ReconcileLimits.windowMarginMilliseconds
                - NotificationHistory.milliseconds(in: environment))
    }

    private func ask(
        _ endpoint: Endpoint, _ questions: inout CustomerQuestions
    ) async throws(AskingFailure) {
        switch endpoint {
        case .notificationHistory:
            try await questions.notifications(from: window, to: now, in: environment)
        case .allSubscriptionStatuses: try await questions.statuses()
        case .refundHistory: try await questions.refunds()
        default: try await questions.transactions()
        }
    }

    // MARK: Notices

    /// Codes of the notices that are open once the projections hold `position`.
    private func open(
        _ chain: ChainId, atLeast position: Int64
    ) async throws(AskingFailure) -> [String] {
        do throws(StoreError) {
            let query = try await projected(position).query
            let moment = Moment(at: now, now: now)
            guard let reading = try await query.readings(of: [chain], moment).first else {
                return []
            }
            let open = reading.answer.notices.map(\.code).filter { codes.contains($0) }
            return Set(open.map(\.rawValue)).sorted()
        } catch { throw .store(error) }
    }
}

extension ChainReconciliation {
    fileprivate mutating func note(
        _ endpoint: Endpoint, _ before: AskedTally, _ after: AskedTally
    ) {
        asked.append(
            Question(
                endpoint: endpoint.name, received: after.received - before.received,
                appended: after.appended + after.conflicts - before.appended - before.conflicts))
    }

    fileprivate mutating func judge(isUnknown: Bool) {
        let contradiction = NoticeCode.contradiction.rawValue
        outcome =
            if after.isEmpty {
                .closed
            } else if failure != nil || refusal != nil {
                .failed
            } else if after.contains(contradiction), !before.contains(contradiction) {
                .contradiction
            } else { isUnknown ? .unknown : .open }
    }
}
