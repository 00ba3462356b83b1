import AppStore
import AppStoreAPI
import Intake
import Ledger
import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore

extension Reconcile {
    /// Reconciles one chain: sends the cheapest request that may close its notices first, and stops
    /// once they are closed.
    func lookUp(
        _ work: ReconcileWork, _ scope: ReconcileScope
    ) async -> ChainReconciliation {
        var result = ChainReconciliation(chain: work.chain, before: work.codes)
        guard let client = clients[work.chain.bundleId] else { return result }
        var customerRequests = CustomerRequests(
            client, ledgers: ledgers, id: work.chain.originalTransactionId.rawValue,
            in: .only(ledger.environment))
        var (isUnknown, wasContradicted) = (false, false)
        do throws(AppleRequestFailure) {
            wasContradicted = try await notices(of: work.chain, customerRequests.tally.taken)
                .contains(.contradiction)
            for endpoint in endpoints(work) {
                let before = customerRequests.tally.taken
                do throws(AppleRequestFailure) {
                    try await send(endpoint, &customerRequests)
                    isUnknown = false
                } catch {
                    if error.isUnknownId {
                        isUnknown = true
                    } else if error.appleCode == .startDateTooFarInPast {
                        // Apple no longer keeps the beginning of the window, which the other
                        // requests do not have.
                        result.failure = error
                    } else {
                        throw error
                    }
                }
                let after = customerRequests.tally.taken
                result.note(endpoint, before, after)
                guard after.appended + after.conflicts > before.appended + before.conflicts else {
                    continue
                }
                result.after = scope.open(
                    try await notices(of: work.chain, after), wasContradicted)
                if result.after.isEmpty {
                    result.failure = nil
                    break
                }
            }
        } catch { result.failure = error }
        result.requests = customerRequests.tally.requests
        result.refusal = customerRequests.tally.taken.errors.first
        result.judge(wasContradicted: wasContradicted, isUnknown: isUnknown)
        return result
    }

    // MARK: Requests

    private func endpoints(_ work: ReconcileWork) -> [Endpoint] {
        // A notification older than Apple's history explains nothing.
        let mayBeKept = work.notices.contains {
            $0.code == .renewalOverdue
                || !NotificationHistory.hasLost(
                    $0.from, requestedAt: ledgers.clock(), in: ledger.environment)
        }
        return (mayBeKept ? [.notificationHistory] : [])
            + [.allSubscriptionStatuses, .transactionHistory, .refundHistory]
    }

    private func send(
        _ endpoint: Endpoint, _ customerRequests: inout CustomerRequests
    ) async throws(AppleRequestFailure) {
        switch endpoint {
        case .notificationHistory:
            try await customerRequests.notifications(in: ledger.environment)
        case .allSubscriptionStatuses: try await customerRequests.statuses()
        case .refundHistory: try await customerRequests.refunds()
        default: try await customerRequests.transactions()
        }
    }

    // MARK: Notices

    /// The open notices once the projections include what was taken: now, or as of the newest
    /// signature taken, since Apple's clock may be ahead.
    private func notices(
        of chain: ChainId, _ taken: IngestSummary
    ) async throws(AppleRequestFailure) -> [NoticeCode] {
        do throws(StoreError) {
            let snapshot = try await projected(taken.position)
            let clock = ledgers.clock()
            let now = max(clock, taken.newestSignedAt ?? clock)
            let moment = Moment(at: now, now: now)
            let reading = try await snapshot.readings(of: [chain], moment).first
            return reading?.answer.notices.map(\.code) ?? []
        } catch { throw .store(error) }
    }
}

extension ReconcileScope {
    /// Codes of the reconcilable notices, and of a contradiction found by the reconciliation.
    fileprivate func open(_ notices: [NoticeCode], _ wasContradicted: Bool) -> [String] {
        let open = notices.filter { code in
            codes.contains(code) || code == .contradiction && !wasContradicted
        }
        return Set(open.map(\.rawValue)).sorted()
    }
}

extension ChainReconciliation {
    fileprivate mutating func note(
        _ endpoint: Endpoint, _ before: IngestSummary, _ after: IngestSummary
    ) {
        queries.append(
            Query(
                endpoint: endpoint.name, received: after.read - before.read,
                appended: after.appended + after.conflicts - before.appended - before.conflicts))
    }

    fileprivate mutating func judge(wasContradicted: Bool, isUnknown: Bool) {
        let contradiction = NoticeCode.contradiction.rawValue
        outcome =
            if after.isEmpty {
                .closed
            } else if failure != nil || refusal != nil {
                .failed
            } else if after.contains(contradiction), !wasContradicted {
                .contradiction
            } else { isUnknown ? .unknown : .open }
    }
}
