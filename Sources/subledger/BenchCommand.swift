import AppStore
import ArgumentParser
import Foundation
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
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "subledger-bench-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "notifications.ndjson").path
            let sample = try sign(world, DeliverySigner(authority: authority), to: file)
            let bench = Bench(
                file: file, sample: sample,
                roots: try TrustedRoots.apple.adding(authority.rootDER),
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

    /// Lines kept in memory to verify again and again.
    static let sampleCount = 1_024

    /// Writes the notifications of seeded lives to a file; some of them.
    private func sign(
        _ world: SubscriberWorld, _ signer: DeliverySigner, to path: String
    ) throws -> [[UInt8]] {
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        let progress = ProgressLine()
        var sample: [[UInt8]] = []
        var (count, seed): (Int, UInt64) = (0, 0)
        while count < events {
            seed += 1
            let life = world.life(seed: seed)
            guard life.environment == .production else { continue }
            for delivery in life.deliveries.prefix(events - count) {
                let line = try signer.line(delivery)
                try file.write(contentsOf: line + Array("\n".utf8))
                if sample.count < BenchCommand.sampleCount { sample.append(line) }
                count += 1
            }
            progress.show("sign: \(count) of \(events)")
        }
        progress.end()
        return sample
    }

    private func report(_ row: BenchRow) throws {
        if common.json {
            try Console.out { row.write(to: &$0) }
        } else {
            try Console.out(row.text + "\n")
        }
    }
}
