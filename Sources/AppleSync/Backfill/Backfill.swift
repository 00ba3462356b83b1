import AppStore
public import AppStoreAPI
public import LedgerStore
internal import Projection
public import SQLiteStore

/// Fetches the histories of given customers: statuses, transactions and refunds of each, verified
/// and appended. Goes on where it was when it was ended, and where histories were left; one id's
/// failure never stops the others.
public struct Backfill: Sendable {
    private let client: AppStoreServerAPIClient
    private let books: AnswerBooks
    /// Keeps how far lists were worked through.
    private let cursors: OperationsStore
    private let choice: EnvironmentChoice
    private let includesRefunds: Bool
    /// What the client was told to leave it at; nil: Apple's rates.
    private let requestsPerSecond: Int?

    /// How far it is, for people who wait.
    public struct Progress: Sendable, Equatable {
        public let settled: Int
        public let ids: Int
        public let appended: Int64
        public let troubles: Int

        /// One line.
        public var text: String {
            "backfill: \(settled) of \(ids) ids, \(appended) appended, \(troubles) unknown or"
                + " failed"
        }
    }

    /// - Parameters:
    ///   - client: of the app.
    ///   - books: the ledgers that take the answers.
    ///   - cursors: where it is kept how far a list was worked through.
    ///   - choice: whom to ask.
    ///   - includesRefunds: also asks for refund histories, which takes five times as long: what
    ///     Apple refunded stands in transaction histories, too.
    ///   - requestsPerSecond: of each kind, as the client was told; nil: as many as Apple allows.
    public init(
        _ client: AppStoreServerAPIClient, books: AnswerBooks, cursors: OperationsStore,
        in choice: EnvironmentChoice, includesRefunds: Bool = true, requestsPerSecond: Int? = nil
    ) {
        self.requestsPerSecond = requestsPerSecond
        self.client = client
        self.books = books
        self.cursors = cursors
        self.choice = choice
        self.includesRefunds = includesRefunds
    }

    // MARK: Running

    /// Works through a list from where it was left.
    ///
    /// - Parameters:
    ///   - startsAnew: forgets how far it was.
    ///   - begin: told before the first question.
    ///   - report: told after each id.
    ///
    /// Throws when the cursor cannot be read; whatever ends a run later stands in its report.
    public func run(
        _ list: IdList, startsAnew: Bool = false,
        begin: @Sendable (BackfillEstimate) -> Void = { _ in },
        report: @Sendable (Progress) -> Void = { _ in }
    ) async throws(StoreError) -> BackfillReport {
        let key = list.digest(client.bundleId, includesRefunds: includesRefunds)
        if startsAnew { try await cursors.forgetBackfill(key) }
        let before = try await cursors.backfill(key)
        let run = before?.run ?? BackfillRun(startedAt: books.clock())
        let estimate = BackfillEstimate(
            ids: list.ids.count - run.settled, includesRefunds: includesRefunds,
            environment: choice.expected, requestsPerSecond: requestsPerSecond)
        var progress = BackfillProgress(list: list, key: key, run: run, cursors: cursors)
        progress.troubleCount = before?.troubles.count ?? 0
        begin(estimate)
        await walk(&progress, report)
        if progress.stop == nil { try await askAgain(&progress, report) }
        return try await close(progress, resumedAt: run.settled, estimate)
    }

    /// Asks about several ids at once; settles them in the order of the list.
    private func walk(
        _ progress: inout BackfillProgress, _ report: @Sendable (Progress) -> Void
    ) async {
        let ids = progress.list.ids
        progress = await withTaskGroup(of: (Int, BackfillOutcome).self) {
            [progress] group -> BackfillProgress in
            var progress = progress
            var ready: [Int: BackfillOutcome] = [:]
            var next = progress.run.settled
            while true {
                while next < ids.count, progress.stop == nil,
                    next - progress.place < BackfillLimits.concurrency
                {
                    let (place, id) = (next, ids[next])
                    group.addTask { (place, await ask(id)) }
                    next += 1
                }
                guard let (place, outcome) = await group.next() else { return progress }
                ready[place] = outcome
                while progress.stop == nil, let outcome = ready.removeValue(forKey: progress.place)
                {
                    await progress.take(outcome, at: books.clock())
                    report(progress.told)
                }
                if progress.stop != nil { group.cancelAll() }
            }
        }
    }

    /// Codes of failures that may have passed by the end of the list.
    private static let passing: Set<String> = Set(
        [
            APIFailure.Code.rateLimited, .appleUnavailable, .appleUnreachable, .appleTimedOut,
            .unexpectedStatus,
        ].map(\.rawValue))

    /// Asks once more about ids that failed for a reason that may have passed.
    private func askAgain(
        _ progress: inout BackfillProgress, _ report: @Sendable (Progress) -> Void
    ) async throws(StoreError) {
        let troubles = try await cursors.backfill(progress.key)?.troubles ?? []
        for trouble in troubles {
            guard progress.stop == nil else { return }
            guard let code = trouble.code, Backfill.passing.contains(code) else { continue }
            await progress.retake(trouble, await ask(trouble.id), at: books.clock())
            report(progress.told)
        }
    }

    private func close(
        _ progress: BackfillProgress, resumedAt: Int, _ estimate: BackfillEstimate
    ) async throws(StoreError) -> BackfillReport {
        var report = BackfillReport(run: progress.run, estimate: estimate)
        report.ids = progress.list.ids.count
        report.resumedAt = resumedAt
        report.stop = progress.stop
        report.add(try await cursors.backfill(progress.key)?.troubles ?? [])
        for ledger in books.ledgers {
            report.positions.append(
                BackfillReport.Position(
                    environment: ledger.environment,
                    position: try await ledger.log.head().position))
        }
        if report.left == 0, report.stop == nil { try await cursors.forgetBackfill(progress.key) }
        return report
    }

    // MARK: One id

    private func ask(_ id: String) async -> BackfillOutcome {
        var questions = CustomerQuestions(client, books: books, id: id, in: choice)
        do throws(AskingFailure) {
            try await knownStatuses(&questions)
            try await questions.transactions()
            try await questions.extensions()
            if includesRefunds { try await questions.refunds() }
        } catch {
            return BackfillOutcome(
                tally: questions.tally, end: error.isUnknownId ? .unknown(error) : .failed(error))
        }
        guard let refusal = questions.tally.refusal else {
            return BackfillOutcome(tally: questions.tally, end: .done)
        }
        return BackfillOutcome(tally: questions.tally, end: .refused(refusal))
    }

    /// An id without any subscription may have no statuses: the history decides what is unknown.
    private func knownStatuses(_ questions: inout CustomerQuestions) async throws(AskingFailure) {
        do throws(AskingFailure) { try await questions.statuses() } catch {
            guard error.isUnknownId else { throw error }
        }
    }
}

extension EnvironmentChoice {
    /// Whose rates hold, as far as is known before anybody answered.
    var expected: Environment {
        switch self {
        case .only(let environment): environment
        case .productionFirst: .production
        }
    }
}
