import AppStore
import ArgumentParser
import LedgerService
import Signing
import Simulator

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Figures measured on the spot, each beside the limit of the same run.")

    enum Name: String, ExpressibleByArgument, CaseIterable {
        case verify
        case ingest
        case all
    }

    @Argument(help: "verify, ingest or all.")
    var names: [Name]

    @Option(help: "Events to measure with.")
    var events = 20_000

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            guard events > 0 else {
                throw CommandFailure(
                    code: "invalidOption", message: "--events takes a number above 0.",
                    exit: .usage)
            }
            let authority = try Authority()
            let world = SubscriberWorld()
            let signer = DeliverySigner(authority: authority)
            let progress = ProgressLine()
            var lines: [[UInt8]] = []
            var seed: UInt64 = 1
            while lines.count < events {
                let life = world.life(seed: seed)
                seed += 1
                guard life.environment == .production else { continue }
                for delivery in life.deliveries where lines.count < events {
                    lines.append(try signer.line(delivery))
                }
                progress.show("sign: \(lines.count) of \(events)")
            }
            progress.end()
            let bench = Bench(
                lines: lines, roots: try TrustedRoots.apple.adding(authority.rootDER),
                apps: [
                    Configuration.App(bundleId: world.bundleId, appAppleId: world.appAppleId)
                ], environment: .production)
            if names.contains(.verify) || names.contains(.all) {
                try report(try bench.verify(repetitions: events))
            }
            if names.contains(.ingest) || names.contains(.all) {
                for row in try await bench.ingest() { try report(row) }
            }
        }
    }

    private func report(_ row: BenchRow) throws {
        if common.json {
            try Console.out { row.write(to: &$0) }
        } else {
            try Console.out(row.text + "\n")
        }
    }
}
