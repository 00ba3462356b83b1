import AppStore
import ArgumentParser
import Ledger
import LedgerService
import LedgerStore

struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Fold everything into new projections, or check them.")

    @Flag(help: "Decode the evidence again instead of trusting stored facts.")
    var fromLog = false

    @Flag(help: "Compare with the live projections instead; exit code 1 when they differ.")
    var check = false

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            if fromLog, !check {
                try EnvironmentLedger.discardFacts(
                    settings.configuration, environment: settings.environment)
            }
            let session = try await settings.openSession()
            guard session.projector != nil else {
                throw CommandFailure(
                    code: "projectorBusy",
                    message: "Another process projects in this data directory; stop it first.",
                    exit: .io)
            }
            let progress = ProgressLine()
            let rebuild = Rebuild(ledger: session.ledger)
            let report: Projector.Report = { done in
                progress.show("decode: \(done.position) of \(done.head)")
            }
            if check {
                let found = try await rebuild.check(against: session.projections, report: report)
                progress.end()
                try print(found.differences, count: found.count, position: session.head)
                await session.close()
                if found.count > 0 { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
                return
            }
            let store = try await rebuild.run(report: report)
            progress.end()
            let checkpoint = try await store.checkpoint()
            let count = try await store.subscriptionCount()
            try printRebuilt(store, count: count, position: checkpoint.position)
            await session.close()
        }
    }

    private func printRebuilt(
        _ store: ProjectionsStore, count: Int, position: Int64
    ) throws {
        if common.json {
            return try Console.out { json in
                json.object { json in
                    json.member("position", position)
                    json.member("subscriptions", count)
                    json.member("file", store.path)
                }
            }
        }
        try Console.out(
            "rebuilt \(count) chains up to position \(position) into \(store.path)\n")
    }

    private func print(
        _ differences: [Rebuild.Difference], count: Int, position: Int64
    ) throws {
        if common.json {
            return try Console.out { json in
                json.object { json in
                    json.member("position", position)
                    json.member("count", count)
                    json.array("differences", differences) { json, difference in
                        json.object { json in
                            json.member("bundleId", difference.chain.bundleId)
                            json.member(
                                "originalTransactionId", difference.chain.originalTransactionId)
                            json.array("columns", difference.columns)
                        }
                    }
                }
            }
        }
        for difference in differences {
            try Console.out(
                "\(difference.chain.originalTransactionId) (\(difference.chain.bundleId)): "
                    + difference.columns.joined(separator: ", ") + "\n")
        }
        try Console.out(
            count == 0
                ? "projections equal a rebuild from the log up to position \(position)\n"
                : "\(count) chains differ; run `subledger rebuild --from-log`\n")
    }
}
