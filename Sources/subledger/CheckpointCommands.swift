import AppStore
import ArgumentParser
import Console
import Foundation
import Intake
import Ledger
import LedgerStore
import Projection
import Proofs
import Queries
import Reports
import Service
import Signing

extension AuditCommand {
    struct KeygenCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "keygen", abstract: "Make a key that signs checkpoints of the log.",
            discussion: """
                Writes the signer key to a new file of mode 0600 and prints the verifier key, which \
                is public.
                """)

        @Option(help: "The log's name, such as example.com/subledger/production.")
        var origin: String

        @Argument(help: "The file to create.", completion: .file())
        var file: String

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let key = try NoteSignerKey(name: origin)
            let refusal = CommandFailure(
                "fileExists",
                "\(file) exists or cannot be written; a key is never replaced.", .io)
            do { try PrivateFile.create(file, Array("\(key.secretText)\n".utf8)) } catch {
                throw refusal
            }
            let verifier = key.verifier.description
            return Output(text: "\(verifier)\n") { $0.member("verifierKey", verifier) }
        }
    }

    struct CheckpointCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "checkpoint",
            abstract: "Sign the head of the log and keep the checkpoint.")

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let stored = try await settings.withLedger { ledger in
                let prover = TreeProver(ledger.log, directory: ledger.directory)
                return try await settings.checkpointSigner(ledger, prover).sign()
            }
            return Output(text: stored.note) { json in
                json.member("size", stored.size)
                json.member("note", stored.note)
                json.member("signedAt", stored.signedAt)
            }
        }
    }

    struct ProveCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "prove",
            abstract: "Write one answer with everything that proves it, as one file.",
            discussion: """
                The file is checked by `subledger audit check`, without a ledger and without a \
                network. It holds the signed evidence, and with it what Apple says about the person.
                """)

        @Argument(help: "An originalTransactionId or any transactionId.")
        var id: String?

        @Option(help: "A customer instead of a subscription.")
        var customer: String?

        @Option(
            parsing: .upToNextOption, help: "Events alone, by position.",
            transform: PlainNumber.read)
        var position: [Int64] = []

        @Option(
            help: "A cell of a report: churn, or a metric's name, with --cell and --from.",
            completion: .metrics)
        var metric: String?

        @Option(help: "The cell's column: churned.billing, activeEnd, gross, …")
        var cell: String?

        @Option(help: "The beginning of the cell's interval.")
        var from: String?

        @Option(help: "Its end, exclusive (default: a month later).")
        var to: String?

        @Option(
            help: ArgumentHelp(
                "The value of a dimension in the cell's row.", valueName: "dimension=value"))
        var group: [String] = []

        @Option(
            name: .customLong("where"),
            help: ArgumentHelp("As of the report; repeatable.", valueName: "dimension=value"))
        var filters: [String] = []

        @Flag(help: "Of churn: only chains in a paid period.")
        var paid = false

        @Option(
            name: [.customShort("o"), .long], help: "The file to write (default: standard output).",
            completion: .file())
        var output: String?

        @Flag(help: "One page that checks itself in a browser.")
        var html = false

        @OptionGroup var moment: MomentOptions
        @OptionGroup var common: SharedOptions

        func validate() throws {
            let count = [id != nil, customer != nil, !position.isEmpty, metric != nil].count { $0 }
            guard count == 1 else {
                throw ValidationError(
                    "Name exactly one of a subscription, --customer, --position and --metric.")
            }
            let ofCell =
                [cell, from, to].contains { $0 != nil } || paid || !(group + filters).isEmpty
            guard metric != nil ? cell != nil && from != nil : !ofCell else {
                throw ValidationError("A cell takes --metric, --cell and --from.")
            }
            guard !paid || metric == MetricName.churnName else {
                throw ValidationError("--paid applies to churn only.")
            }
            let isMomentNamed =
                moment.at != nil || moment.knowledge.knownAt != nil
                || moment.knowledge.knownPosition != nil
            guard position.isEmpty || !isMomentNamed else {
                throw ValidationError(
                    "Events are the same at every time: --position takes no --at, --known-at or"
                        + " --known-position.")
            }
        }

        func output(_ settings: Settings) async throws -> Output {
            let moment = try moment.moment()
            let stated = try statedCell(settings)
            let bundle = try await settings.withSession { session in
                let ledger = session.ledger
                let prover = TreeProver(ledger.log, directory: ledger.directory)
                let signer = try settings.checkpointSigner(ledger, prover)
                let maker = BundleMaker(session.snapshot, prover: prover, signer: signer)
                if let customer {
                    return try await maker.customer(CustomerId(stated: customer), moment: moment)
                }
                if let (metric, parameters) = stated {
                    return try await maker.cell(
                        metric, parameters, reportTimeZone: settings.configuration.reportTimeZone,
                        bundleId: settings.bundleId, moment: moment)
                }
                guard let id else { return try await maker.events(position) }
                return try await maker.subscription(
                    id, bundleId: settings.bundleId, moment: moment)
            }
            let report = BundleCheck(
                try ProofBundle(bundle.bytes), key: nil, roots: try settings.trustedRoots()
            ).run()
            guard report.isProven else {
                let reason = report.lines.first { !$0.isGood }?.text ?? ""
                throw ProofError.unproven(reason)
            }
            let bytes =
                html
                ? ProofPage.html(bundle, roots: Array(try settings.trustedRoots().fingerprints))
                : bundle.bytes
            guard let output else {
                // Unchanged: a character made printable would be another one in the proof.
                try Terminal.out(bytes)
                return .printed()
            }
            // It holds what Apple says about a person.
            try PrivateFile.replace(output, bytes)
            let (count, size) = (bundle.events.count, bytes.count)
            let isAppleAlone = try settings.trustedRoots().fingerprints.count == 1
            return Output(
                text: "\(output): \(count.named("event", "events")), \(size) bytes; check it with"
                    + " subledger audit check \(output)"
                    + (isAppleAlone ? "" : ", and the --trust-root of this ledger") + "\n"
            ) { json in
                json.member("file", output)
                json.member("events", Int64(count))
                json.member("bytes", Int64(size))
            }
        }

        /// The cell of `--metric`; nil without it. Throws where the report converts its row: a
        /// bundle proves amounts in their own currency.
        private func statedCell(_ settings: Settings) throws -> (MetricName, CellParameters)? {
            guard let metric, let cell else { return nil }
            let name = try MetricName(compared: metric, isPaid: paid)
            var parameters = CellParameters(column: cell)
            (parameters.from, parameters.to) = (from, to)
            (parameters.group, parameters.filters) = (group, filters)
            let table = try RateChoice.usual.table(for: name, parameters) {
                try settings.configuration.rates()
            }
            guard let table else { return (name, parameters) }
            throw CommandFailure.invalidOption(
                "The configured rates convert this row, and a bundle proves amounts in their own"
                    + " currency only: add --where currency=\(table.target).")
        }
    }

    struct CheckCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check a file of `audit prove`, without a ledger; exit code 1 if it fails.",
            discussion: """
                Prints the answer that is proven. Of a page the bundle is checked, not the words: \
                rely on the printed answer. A subledger.yaml in the working directory is read only \
                with --config.
                """)

        @Argument(help: "The file.", completion: .file())
        var file: String

        @Option(help: "The verifier key that you trust: the log's owner publishes it.")
        var key: String?

        @OptionGroup var common: SharedOptions

        /// The file alone decides: a configuration in the working directory, perhaps a broken one,
        /// is read only where it is named.
        func run() async throws {
            try await perform {
                try await output(try Settings(common, usualFile: nil)).print(asJSON: common.json)
            }
        }

        func output(_ settings: Settings) async throws -> Output {
            // A page is larger than the bundle it holds.
            let limit = 2 * ProofBundle.maximumByteCount
            guard let bytes = InputFile.readFile(file, limit: limit) else {
                throw CommandFailure("unreadableFile", "\(file) cannot be read.", .io)
            }
            let bundle = try ProofBundle(bytes)
            let key = try key.map { try NoteVerifierKey($0) }
            let roots = try settings.trustedRoots()
            let report = BundleCheck(bundle, key: key, roots: roots).run()
            let checked = CheckedFile(bytes, bundle, report, roots: Array(roots.fingerprints))
            return Output(
                text: checked.text, isClean: report.isProven, members: checked.writeMembers(to:))
        }
    }
}

/// What the check of a file found, and the answer that is proven, since the words of a page
/// are not checked.
private struct CheckedFile {
    /// A page around the bundle: the seal covers the bundle alone.
    enum Page: String {
        /// Byte for byte what this release writes of the bundle.
        case unaltered
        /// Another page: changed, or of another release or other trusted roots.
        case wordsNotChecked
    }

    let report: BundleCheck.Report
    /// Nil unless it is proven, and for a bundle of events alone.
    let answer: ProofBundle.Answer?
    /// Nil for a bundle without a page.
    let page: Page?

    init(
        _ bytes: [UInt8], _ bundle: ProofBundle, _ report: BundleCheck.Report, roots: [Digest]
    ) {
        self.report = report
        answer = report.isProven ? bundle.answer : nil
        let isPage = bytes.first == UInt8(ascii: "<")
        let isOwn = isPage && bytes == ProofPage.html(bundle, roots: roots)
        page = isPage ? (isOwn ? .unaltered : .wordsNotChecked) : nil
    }

    var text: String {
        var text = report.lines.map { "\($0.isGood ? "ok " : "BAD")  \($0.text)\n" }.joined()
        guard report.isProven else { return text + "NOT PROVEN\n" }
        if page == .unaltered {
            text += "ok   The page around the bundle is as this release writes it.\n"
        } else if page == .wordsNotChecked {
            text +=
                "note The words of the page are not checked: it is of another release, of other"
                + " trusted roots, or changed. The bundle in it proves what follows.\n"
        }
        text += "answer: \(report.summary ?? "none; the bundle proves its events alone")\n"
        text += page == .wordsNotChecked ? "proven, but for the words of the page\n" : "proven\n"
        return text
    }

    func writeMembers(to json: inout JSONWriter) {
        json.member("proven", report.isProven)
        json.object("answer", answer) { json, answer in answer.writeMembers(to: &json) }
        json.member("page", page?.rawValue)
        json.objects("lines", report.lines) { json, line in
            json.member("part", line.part)
            json.member("good", line.isGood)
            json.member("text", line.text)
        }
    }
}

extension Settings {
    /// Signs checkpoints of the command's environment. Throws `missingAuditKey` where the
    /// configuration has no key for it.
    func checkpointSigner(
        _ ledger: EnvironmentLedger, _ prover: TreeProver
    ) throws -> CheckpointSigner {
        let audit = configuration.audits.first { $0.environment == ledger.environment }
        guard let audit else { throw ProofError.missingKey(ledger.environment) }
        return CheckpointSigner(
            log: ledger.log, operations: ledger.operations, prover: prover,
            key: try audit.signerKey()
        ) { Terminal.now }
    }
}
