import AppStore
import Intake
import LedgerStore
import Projection

/// Settles the ids of a list in order, and persists the progress.
///
/// An id with a transient failure is held until a later one is answered or the list ends; then it
/// is skipped, and retried once at the end. When several in a row fail this way, or all of the
/// list, the run ends before the first of them, and the next run starts with it.
struct BackfillProgress: Sendable {
    let list: IdList
    let key: Digest
    private(set) var run: BackfillRun
    /// Why the run stopped; nil while it continues.
    private(set) var stop: AppleRequestFailure?
    /// Number of ids with trouble so far.
    var troubleCount = 0
    private let ledger: EnvironmentLedger
    /// Number of consecutive ids that failed a second time.
    private var streak = 0
    private var held: [BackfillOutcome] = []
    /// Whether the last write failed, so that its troubles would miss in the next one.
    private var isUnkept = false

    init(list: IdList, key: Digest, run: BackfillRun, ledger: EnvironmentLedger) {
        self.list = list
        self.key = key
        self.run = run
        self.ledger = ledger
    }

    /// The index in the list of the id whose outcome is taken next.
    var place: Int { run.settled + held.count }

    /// One line for people.
    var text: String {
        "backfill: \(run.settled) of \(list.ids.count.named("id", "ids")),"
            + " \(run.appended) appended, \(troubleCount) unknown or failed"
    }

    /// Takes the outcome of the id at `place`.
    mutating func take(_ outcome: BackfillOutcome, at now: Timestamp) async {
        if let failure = outcome.unanswered {
            held.append(outcome)
            if failure.concernsAllCustomers {
                return await end(failure, held.map(\.tally), at: now)
            }
            if failure.mayPass {
                let isAtEnd = place == list.ids.count
                // Where nothing was ever answered, the cause is not the ids.
                if held.count >= BackfillLimits.failureStreak || isAtEnd && run.settled == 0 {
                    return await end(failure, held.map(\.tally), at: now)
                }
                guard isAtEnd else { return }
            }
            held.removeLast()
        }
        var troubles: [BackfillRun.Trouble] = []
        let released = held + [outcome]
        held = []
        for outcome in released { record(outcome, &troubles) }
        await keep(troubles, at: now)
    }

    /// Takes the outcome of retrying an id that had failed.
    mutating func retake(
        _ trouble: BackfillRun.Trouble, _ outcome: BackfillOutcome, at now: Timestamp
    ) async {
        if let failure = outcome.unanswered {
            streak = failure.mayPass ? streak + 1 : 0
            if failure.concernsAllCustomers || streak >= BackfillLimits.failureStreak {
                return await end(failure, [outcome.tally], at: now)
            }
        } else {
            streak = 0
        }
        count(outcome.tally)
        let still = outcome.trouble(trouble.ordinal, trouble.id)
        if still == nil {
            run.done += 1
            troubleCount -= 1
        }
        await keep(
            still.map { [$0] } ?? [], solved: still == nil ? trouble.ordinal : nil, at: now)
    }

    /// Ends the run before ids that the next run requests again: what they appended counts, since
    /// it will be known then.
    mutating func end(
        _ failure: AppleRequestFailure, _ tallies: [RequestTally], at now: Timestamp
    ) async {
        for tally in tallies { count(tally) }
        if !isUnkept, tallies.contains(where: { $0.requests > 0 }) { await keep([], at: now) }
        stop = stop ?? failure
    }

    private mutating func count(_ tally: RequestTally) {
        run.requests += tally.requests
        run.appended += tally.taken.appended
        run.duplicates += tally.taken.duplicates
        run.conflicts += tally.taken.conflicts
    }

    private mutating func record(
        _ outcome: BackfillOutcome, _ troubles: inout [BackfillRun.Trouble]
    ) {
        count(outcome.tally)
        if let trouble = outcome.trouble(run.settled, list.ids[run.settled]) {
            troubles.append(trouble)
            troubleCount += 1
        } else {
            run.done += 1
        }
        run.settled += 1
    }

    private mutating func keep(
        _ troubles: [BackfillRun.Trouble], solved: Int? = nil, at now: Timestamp
    ) async {
        do throws(StoreError) {
            let head = try await ledger.log.head().position
            run.log = try await ledger.checkpoint(at: head) ?? .start
            try await ledger.operations.keep(
                run, of: key, troubles: troubles, solved: solved, at: now)
        } catch {
            isUnkept = true
            stop = stop ?? .store(error)
        }
    }
}
