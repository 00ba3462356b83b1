import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Signing
import Simulator

/// The invariants at the end of a run.
struct Proof {
    let run: SystemRun
    /// The end of the last recovery's window.
    let completeThrough: Timestamp

    /// The end of time: every state caused by the clock has begun.
    static let end = Timestamp(milliseconds: 4_102_444_800_000)

    private var ledger: EnvironmentLedger { run.process.ledger }

    /// Throws `Disagreement` with the first violated invariant.
    func check() async throws {
        try await nothingIsMissing()
        guard let snapshot = run.process.snapshot else {
            throw Disagreement("Nothing was projected.")
        }
        for life in run.world.lives { try await truth(of: life, snapshot) }
        for belief in run.beliefs { try await stands(belief, snapshot) }
        try await audit()
    }

    // MARK: The log

    /// Every notification is in the log, once, and nothing else.
    private func nothingIsMissing() async throws {
        let events = try await ledger.log.events(after: 0)
        let notifications = events.count { $0.attributes.kind == .notification }
        guard notifications == run.world.books.sentCount else {
            throw Disagreement(
                "\(run.world.books.sentCount) notifications were sent, \(notifications) recorded.")
        }
        try complete(events)
        guard events.last.map(\.position) ?? 0 == Int64(events.count) else {
            throw Disagreement("Positions have gaps.")
        }
        let lines = run.world.lives.reduce(0) { $0 + $1.deliveries.count }
        let taken = events.count { $0.attributes.kind != .sweep }
        guard taken <= lines else {
            throw Disagreement("\(lines) were sent, \(taken) recorded.")
        }
    }

    /// At every position stated as complete, all notifications signed in that period were in the
    /// log.
    private func complete(_ events: [RecordedEvent]) throws {
        let positions = Dictionary(
            events.map { ($0.key, $0.position) }, uniquingKeysWith: { first, _ in first })
        let states = ledger.completeness.all
        guard states.last?.window?.through ?? completeThrough >= completeThrough, !states.isEmpty
        else {
            throw Disagreement("The last recovery did not make its window certain: \(states).")
        }
        let sent = run.world.lives.flatMap(\.deliveries)
        for state in states {
            guard let window = state.window else { continue }
            for delivery in sent {
                guard case .notification(let notification, _, _) = delivery.evidence,
                    let date = delivery.signedDate, window.from <= date, date < window.through
                else { continue }
                let key = EventKey.make(.notification, [notification.notificationUUID?.rawValue])
                guard let position = positions[key], position <= state.position else {
                    throw Disagreement(
                        "At position \(state.position) the log was stated as complete"
                            + " before \(window.through.rfc3339), but \(date.rfc3339)"
                            + " is missing.")
                }
            }
        }
    }

    private func audit() async throws {
        // Verifying signatures is expensive: doing it in some runs suffices to find defects.
        let verifier =
            run.seed % 25 == 0 ? EvidenceVerifier(roots: TestAuthority.roots) : nil
        let directory =
            "\(run.process.directory)/"
            + EnvironmentLedger.directoryName(run.world.environment)
        let report = try await Audit(
            log: ledger.log, directory: directory, environment: run.world.environment
        ).verify(verifier: verifier)
        guard report.isSound, report.projectionsMatch == true else {
            throw Disagreement("The log does not verify: \(report).")
        }
    }

    // MARK: Answers

    private func truth(of life: SubscriberLife, _ snapshot: LedgerSnapshot) async throws {
        let id = life.originalTransactionId.rawValue
        let reading = try await snapshot.reading(id, moment: Moment(at: Proof.end, now: Proof.end))
        let reported = reading.life.intervals.map { interval in
            Proof.words(
                interval.state.rawValue, interval.from, interval.to,
                interval.productId?.rawValue ?? "", interval.transactionId.rawValue,
                interval.reason?.rawValue)
        }
        let truth = life.truth.map { interval in
            Proof.words(
                interval.state.rawValue, interval.from, interval.to, interval.productId.rawValue,
                interval.transactionId.rawValue, interval.reason?.rawValue)
        }
        guard reported == truth else {
            throw Disagreement(
                "chain \(id) of life \(life.seed)\n  ledger\n    "
                    + reported.joined(separator: "\n    ") + "\n  truth\n    "
                    + truth.joined(separator: "\n    "))
        }
        for moment in life.moments { try check(moment, reading.life, id) }
        try await states(life, snapshot, id)
    }

    /// The state at the ends of the last interval and inside it, queried one by one.
    private func states(
        _ life: SubscriberLife, _ snapshot: LedgerSnapshot, _ id: String
    ) async throws {
        for interval in life.truth.suffix(1) {
            let inside = interval.to.map { to in
                interval.from.advanced(byMilliseconds: to.milliseconds(since: interval.from) / 2)
            }
            let last = interval.to?.advanced(byMilliseconds: -1)
            for at in [interval.from, inside, last].compactMap({ $0 }) {
                let reading = try await snapshot.reading(id, moment: Moment(at: at, now: Proof.end))
                guard reading.answer.state.rawValue == interval.state.rawValue else {
                    throw Disagreement(
                        "chain \(id) at \(at.rfc3339): the answer is \(reading.answer.state),"
                            + " the truth \(interval.state)")
                }
            }
        }
    }

    private func check(_ moment: TrueMoment, _ life: Lifecycle, _ id: String) throws {
        guard let answer = life.answer(at: moment.at, now: Proof.end) else {
            throw Disagreement("chain \(id): no answer at \(moment.at.rfc3339)")
        }
        guard moment.equals(answer) else {
            throw Disagreement("chain \(id): \(answer) is not \(moment)")
        }
    }

    /// Repeats an earlier query as of the same position: its answer must not change.
    private func stands(_ belief: SystemRun.Belief, _ snapshot: LedgerSnapshot) async throws {
        let said = try await Proof.words(
            snapshot, belief.chain, at: belief.at, position: belief.position)
        guard said == belief.said else {
            throw Disagreement(
                "chain \(belief.chain) at \(belief.at.rfc3339), known up to \(belief.position):"
                    + " the answer was \(belief.said), is now \(said)")
        }
    }

    // MARK: Texts

    private static func words(
        _ state: String, _ from: Timestamp, _ to: Timestamp?, _ product: String,
        _ transaction: String, _ reason: String?
    ) -> String {
        "\(state) \(from.rfc3339) \(to?.rfc3339 ?? "open") \(product) \(transaction)"
            + " \(reason ?? "-")"
    }

    /// State and attributes as of a position.
    static func words(
        _ snapshot: LedgerSnapshot, _ chain: String, at: Timestamp, position: Int64
    ) async throws -> String {
        do throws(QueryError) {
            let moment = Moment(at: at, now: at, knowledge: .knownPosition(position))
            let answer = try await snapshot.reading(chain, moment: moment).answer
            return "\(answer)"
        } catch {
            guard error.code == QueryError.noSuchSubscription("").code else { throw error }
            return "nothing"
        }
    }
}
