import AppStore
import ArgumentParser
import Foundation
import Simulator

extension SimulateCommand {
    struct ReceiptsCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "receipts",
            abstract:
                "Write what a back end on original StoreKit stores of simulated customers.",
            discussion: """
                For the lives that `simulate history` writes for the same --seed and --chains, as \
                of --at: app receipts (receipts/ID), verifyReceipt responses \
                (verifyReceipt/ID.json), and the version 1 notifications sent before \
                (notifications.ndjson) with the password \(SimulatedAPI.usualSharedSecret). A \
                disposable authority signs the receipts: its root goes to --root.
                """)

        @Argument(
            help: ArgumentHelp("Directory for the files; created when missing.", valueName: "dir"))
        var directory: String

        @Option(help: "Number of lives.")
        var chains = 200

        @Option(help: "Seed of the lives (0 to 1000000).")
        var seed: UInt64 = 0

        @Option(help: "The day as of which to write (default: now).")
        var at: String?

        @Option(help: ArgumentHelp("File for the root certificate: DER.", valueName: "file"))
        var root: String

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let books = ServedRecords(try settings.simulatedLives(.chains(chains), seed: seed))
            let moment = try at.map { try MomentOptions.time($0, "--at") } ?? Terminal.now
            let reported = OriginalStoreKit(books)
            let authority = try ReceiptAuthority()
            let ids = reported.ids(at: moment)
            do {
                try write(reported, ids, authority, at: moment)
            } catch let error as CocoaError {
                throw CommandFailure(
                    "ioError", "\(directory): it cannot be written (\(error.code.rawValue)).", .io)
            }
            return Output(
                text: "\(ids.count) customers as of \(moment.rfc3339) in \(directory)\n"
            ) { json in
                json.member("customers", ids.count)
                json.member("at", moment)
                json.member("directory", directory)
            }
        }

        private func write(
            _ reported: OriginalStoreKit, _ ids: [String], _ authority: ReceiptAuthority,
            at moment: Timestamp
        ) throws {
            for name in ["receipts", "verifyReceipt"] {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            }
            try Data(authority.rootDER).write(to: URL(filePath: root))
            for id in ids {
                if let contents = reported.receipt(of: id, at: moment) {
                    try Data(authority.sign(contents)).write(
                        to: URL(filePath: "\(directory)/receipts/\(id)"))
                }
                if let answer = reported.verifyReceipt(of: id, at: moment) {
                    try Data(answer).write(
                        to: URL(filePath: "\(directory)/verifyReceipt/\(id).json"))
                }
            }
            let sent = try reported.notificationsV1(
                through: moment, password: SimulatedAPI.usualSharedSecret, authority: authority)
            try Data(sent.map(\.body).joined(separator: [UInt8(ascii: "\n")])).write(
                to: URL(filePath: "\(directory)/notifications.ndjson"))
        }
    }
}
