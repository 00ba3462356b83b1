import AppStore
internal import Intake
import Ledger
import LedgerStore
internal import Projection
internal import Queries

/// A line of a story with an operator's command and its time.
enum StoryCommand {
    private static let start = Array("{\"command\":".utf8)

    static func isOne(_ line: [UInt8]) -> Bool { line.starts(with: start) }

    /// Appends the command with its original time; counted as by `ingest`.
    static func take(
        _ line: [UInt8], input: String, _ ledger: EnvironmentLedger,
        into summary: inout IngestSummary
    ) async throws(StoreError) {
        summary.read += 1
        let value = try? JSONValue.parse(line)
        guard let evidence = value?["command"], let command = Command(evidence: evidence),
            let receivedAt = value?["receivedAt"]?.int64
        else {
            return refuse("It is not a command with a receivedAt.", input, &summary)
        }
        let chain = evidence["originalTransactionId"]?.string.map { id in
            ChainId(
                bundleId: BundleId(evidence["bundleId"]?.string ?? ""),
                originalTransactionId: OriginalTransactionId(id))
        }
        let intake = CommandIntake(ledger: ledger) { Timestamp(milliseconds: receivedAt) }
        do throws(CommandError) {
            let receipt = try await intake.repeatDecision(
                command, about: chain, receivedAt: Timestamp(milliseconds: receivedAt))
            summary.position = max(summary.position, receipt.position)
            if receipt.isRepeated { summary.duplicates += 1 } else { summary.appended += 1 }
        } catch {
            if let failure = error.failure { throw failure }
            refuse(error.message, input, &summary)
        }
    }

    private static func refuse(
        _ message: String, _ input: String, _ summary: inout IngestSummary
    ) {
        summary.rejected += 1
        summary.add(
            IngestError(input: input, code: "invalidCommand", message: message))
    }
}
