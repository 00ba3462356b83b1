import LedgerStore
import LedgerTestSupport
import SQLiteStore

/// The life of a log while calls fail: created, appended to with a duplicate and a conflict,
/// checkpointed, closed, reopened. Failures are handled as by an operator: the next step is tried,
/// and only answered events count.
struct FaultScenario: Sendable {
    /// All appended events, by step. The second step repeats an event and contradicts another.
    let batches: [[NewEvent]]

    /// Events in a log after the batches were appended once more, whatever was lost before: the
    /// duplicate adds none.
    var distinctCount: Int { batches.reduce(0) { $0 + $1.count } - 1 }

    init() throws {
        batches = [
            try Sample.events(0..<4),
            [
                try Sample.event("n1"), try Sample.event("n2", price: 5),
                try Sample.event("n4", header: Sample.otherHeader),
            ],
            [try Sample.command("c", Array(#"{"a":1}"#.utf8))],
            // Enough to fill pages of every tree.
            try Sample.events(5..<45),
            try Sample.events(45..<47),
        ]
    }

    /// Runs all steps; returns the results.
    func run(_ directory: String) async -> FaultAnswers {
        var answers = FaultAnswers()
        guard let log = await open(directory, &answers) else { return answers }
        for batch in batches[0..<3] { await append(batch, log, &answers) }
        do throws(StoreError) { try await log.checkpoint() } catch {
            answers.codes.insert(error.code)
        }
        await append(batches[3], log, &answers)
        do throws(StoreError) { _ = try await log.head() } catch {
            answers.codes.insert(error.code)
        }
        await log.close()
        guard let again = await open(directory, &answers) else { return answers }
        await append(batches[4], again, &answers)
        await again.close()
        return answers
    }

    private func open(_ directory: String, _ answers: inout FaultAnswers) async -> EventLog? {
        // Twice: a fault that has ended does not prevent a retry.
        for _ in 0..<2 {
            do throws(StoreError) {
                return try await EventLog.open(
                    directory: directory, faults: nil, busyTimeoutSeconds: 0)
            } catch {
                answers.codes.insert(error.code)
            }
        }
        return nil
    }

    private func append(
        _ batch: [NewEvent], _ log: EventLog, _ answers: inout FaultAnswers
    ) async {
        do throws(StoreError) {
            let results = try await log.append(batch)
            answers.events += zip(batch, results).map { ($0, $1) }
        } catch {
            answers.codes.insert(error.code)
        }
    }
}
