import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Signing
import Simulator
import TestSupport
import Testing

@Suite("Migration from verifyReceipt, against the simulated API")
struct MigrationTests {
    /// A directory of files by name and content.
    func folder(
        _ files: [(String, [UInt8])], in directory: TemporaryDirectory
    ) throws -> String {
        let root = directory.file("stored")
        for (name, bytes) in files {
            let url = URL(filePath: "\(root)/\(name)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
        return root
    }

    /// Half of the customers as receipts in every form, the others as verifyReceipt responses.
    func customers(_ ids: [String]) throws -> [(String, [UInt8])] {
        try ids.enumerated().compactMap { index, id in
            if index % 2 == 1 {
                return StoredReceipts.reported.verifyReceipt(of: id, at: StoredReceipts.stored).map
                {
                    ("answers/\(id).json", $0)
                }
            }
            guard let contents = StoredReceipts.reported.receipt(of: id, at: StoredReceipts.stored)
            else { return nil }
            let binary = try TestAuthority.receipts.sign(contents)
            let base64 = Base64.standard.encode(binary)
            switch index % 8 {
            case 0: return ("receipts/\(id)", binary)
            case 2: return ("receipts/\(id).b64", base64)
            case 4: return ("receipts/\(id).txt", StoredReceipts.broken(base64))
            default:
                var json = JSONWriter()
                json.object {
                    $0.member("receipt-data", String(decoding: base64, as: UTF8.self))
                    $0.member("exclude-old-transactions", false)
                }
                return ("requests/\(id).json", json.bytes)
            }
        }
    }

    /// The result of one run: taken in, requested, compared.
    struct Run {
        var evidence: StoredEvidence
        var ingest = IngestSummary()
        var reports: [BackfillReport] = []
        var differences = StateDifferences()
    }

    func migrate(
        _ directory: String, _ apple: AskedApple, _ place: TemporaryLedger
    ) async throws -> Run {
        let migration = StoreKitImport(apps: place.configuration.apps)
        var run = Run(evidence: try await migration.read(directory))
        run = try await Gate.ledgers.pass { [run] in
            var run = run
            let books = apple.books(place)
            let result = await Result {
                run.ingest = try await migration.take(
                    run.evidence, into: books, verifier: place.verifier)
                for scope in run.evidence.scopes {
                    let ledger = try await books.ledger(scope.environment)
                    run.reports.append(
                        try await Backfill(
                            apple.client, ledgers: books, keptIn: ledger,
                            in: .only(scope.environment)
                        ).run(IdList(run.evidence.ids(of: scope))))
                }
            }
            await books.close()
            try result.get()
            return run
        }
        run.differences = try await place.session { [run] session in
            var differences = StateDifferences()
            for scope in run.evidence.scopes where scope.environment == place.environment {
                try await differences.add(
                    run.evidence.ids(of: scope), of: scope, in: session, now: AskedApple.now)
            }
            return differences
        }
        return run
    }

    /// For each of these customers, the ledger's current state and the true one, where they differ.
    func wrong(_ ids: [String], _ place: TemporaryLedger) async throws -> [String: String] {
        var reported: [String: String] = [:]
        for line in try await place.exportLines(.subscriptions, at: AskedApple.now) {
            reported[line["originalTransactionId"]?.string ?? ""] = line["state"]?.string
        }
        var wrong: [String: String] = [:]
        for id in ids {
            let truth = StoredReceipts.reported.truth(of: id, at: AskedApple.now)?.state.rawValue
            if reported[id] != truth {
                wrong[id] = "\(reported[id] ?? "nothing") for \(truth ?? "nothing")"
            }
        }
        return wrong
    }

    // MARK: Unusable input

    @Test("Bad files are named, each once, and the good ones beside them are read")
    func badFiles() async throws {
        let directory = try TemporaryDirectory()
        let ids = StoredReceipts.reported.ids(at: StoredReceipts.stored)
        let good = try #require(
            StoredReceipts.reported.verifyReceipt(of: ids[0], at: StoredReceipts.stored))
        let receipt = try TestAuthority.receipts.sign(
            #require(StoredReceipts.reported.receipt(of: ids[1], at: StoredReceipts.stored)))
        let refused = Array("{\"status\":21003}".utf8)
        let noise = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 10) }
        let root = try folder(
            [
                ("a-empty", []), ("b-cut", Array(receipt.dropLast(200))), ("c-noise.bin", noise),
                ("d-refused.json", refused), ("e-text", Array("hello\nworld".utf8)),
                ("f-signed.jws", Array("a.b.c".utf8)), (".hidden", Array("x".utf8)),
                ("g/h/i.json", good), ("j.receipt", receipt),
                ("k-long", [UInt8](repeating: 0x41, count: 4 * 1_024 * 1_024 + 1)),
                ("k.gz", [0x1F, 0x8B, 8, 0]),
                (
                    "l.ndjson",
                    good + Array("\n{\"status\":0}\n".utf8) + Base64.standard.encode(receipt)
                ),
            ], in: directory)
        let evidence = try await StoreKitImport(
            apps: [Configuration.App(bundleId: AskedApple.app)]
        ).read(root)
        #expect(evidence.files.count == 11)
        #expect(
            evidence.badInputs.map { "\($0.input.split(separator: ":")[0]) \($0.code)" } == [
                "a-empty undecodablePayload", "b-cut malformedReceipt",
                "c-noise.bin undecodablePayload", "d-refused.json receiptRefusedByApple",
                "e-text undecodablePayload", "f-signed.jws notOriginalStoreKit",
                "k-long payloadTooLarge", "k.gz unreadableInput", "l.ndjson undecodablePayload",
            ])
        #expect(evidence.badInputs.last?.input == "l.ndjson:2")
        #expect(evidence.receipts == 2)
        #expect(evidence.responses == 2)
        let scope = try #require(evidence.scopes.first)
        #expect(evidence.scopes.count == 1)
        #expect(evidence.ids(of: scope) == [ids[0], ids[1]])
    }

    @Test("A missing or too deep directory is reported")
    func noDirectory() async throws {
        let migration = StoreKitImport(apps: [Configuration.App(bundleId: AskedApple.app)])
        let directory = try TemporaryDirectory()
        await #expect(throws: InputProblem.unreadableDirectory(directory.file("none"))) {
            try await migration.read(directory.file("none"))
        }
        let steps = Array(repeating: "d", count: ImportLimits.depth + 1)
        let deep = try folder(
            [(steps.joined(separator: "/") + "/f", Array("x".utf8))], in: directory)
        let problem = InputProblem.tooDeep("\(deep)/\(steps.joined(separator: "/"))")
        #expect(problem.code == "tooManyDirectories")
        await #expect(throws: problem) { try await migration.read(deep) }
        // One level less is read.
        #expect(try await migration.read("\(deep)/d").files.count == 1)
    }

    @Test("An entry that the system does not describe is an unusable input, not left out")
    func undescribed() async throws {
        let directory = try TemporaryDirectory()
        let good = MadeChain().verifyReceipt(through: 0, at: MadeChain().start(0))
        let root = try folder([("a", good)], in: directory)
        // The path of the entry is longer than the system's limit, that of its directory is not.
        let step = "/" + String(repeating: "d", count: 200)
        var deepest = root
        while deepest.utf8.count + step.utf8.count < Int(PATH_MAX) { deepest += step }
        try FileManager.default.createDirectory(
            atPath: deepest, withIntermediateDirectories: true)
        let descriptor = open(deepest, O_RDONLY | O_DIRECTORY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let name = String(repeating: "f", count: 255)
        let file = openat(descriptor, name, O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
        defer { unlinkat(descriptor, name, 0) }
        let apps = [Configuration.App(bundleId: AskedApple.app)]
        let evidence = try await StoreKitImport(apps: apps).read(root)
        #expect(evidence.responses == 1)
        #expect(evidence.badInputs.map(\.code) == ["unreadableInput"])
        #expect(evidence.badInputs.first?.input.hasSuffix("/\(name)") == true)
    }

    @Test("Other apps and environments are counted and left out")
    func leftOut() async throws {
        let directory = try TemporaryDirectory()
        let sandbox = OriginalStoreKit(AskedApple.sandbox)
        let id = try #require(sandbox.ids(at: AskedApple.now).first)
        var other = MadeChain()
        other.bundleId = "com.example.other"
        let root = try folder(
            [
                ("a", try #require(sandbox.verifyReceipt(of: id, at: AskedApple.now))),
                ("b", other.verifyReceipt(through: 0, at: other.start(0))),
                ("c", MadeChain().verifyReceipt(through: 0, at: other.start(0), environment: nil)),
            ], in: directory)
        let apps = [Configuration.App(bundleId: AskedApple.app)]
        let all = try await StoreKitImport(apps: apps).read(root)
        #expect(all.scopes.map(\.environment) == [.production, .sandbox])
        #expect(all.otherApps == [BundleId("com.example.other"): 1])
        let production = try await StoreKitImport(apps: apps, only: .production).read(root)
        #expect(production.otherEnvironments == 1)
        #expect(production.scopes.map(\.environment) == [.production])
    }

    @Test("What was left out, or can no longer be read, is not taken in; the rest is")
    func takenIn() async throws {
        let place = try StoredReceipts.place()
        var other = MadeChain()
        other.bundleId = "com.example.other"
        let good = MadeChain().verifyReceipt(through: 0, at: other.start(0))
        let root = try folder(
            [
                ("a", good), ("b", other.verifyReceipt(through: 0, at: other.start(0))),
                ("c", good),
            ], in: place.directory)
        let migration = StoreKitImport(apps: place.configuration.apps)
        let evidence = try await migration.read(root)
        try FileManager.default.removeItem(atPath: "\(root)/a")
        let books = try AskedApple().books(place)
        let summary = try await Gate.ledgers.pass {
            let result = await Result {
                try await migration.take(evidence, into: books, verifier: place.verifier)
            }
            await books.close()
            return try result.get()
        }
        #expect(summary.read == 1)
        #expect(summary.appended == 1)
        #expect(summary.errors.map(\.input) == ["a"])
        #expect(summary.errors.map(\.code) == ["unreadableInput"])
        #expect(!summary.isClean)
    }

    // MARK: Running

    @Test(
        "The plan counts customers once, requests, and time under Apple's limits or the operator's")
    func plan() async throws {
        let directory = try TemporaryDirectory()
        let ids = Array(StoredReceipts.reported.ids(at: StoredReceipts.stored).prefix(8))
        let root = try folder(
            try customers(ids)
                + [
                    (
                        "twice.json",
                        #require(
                            StoredReceipts.reported.verifyReceipt(
                                of: ids[1], at: StoredReceipts.stored))
                    )
                ],
            in: directory)
        let apps = [Configuration.App(bundleId: AskedApple.app)]
        let evidence = try await StoreKitImport(apps: apps).read(root)
        #expect(evidence.badInputs.isEmpty)
        #expect(evidence.customerCount == 8)
        let plan = ImportPlan(evidence, includesRefunds: true)
        #expect(plan.requests == 24)
        #expect(plan.parts.map(\.estimate.furtherRequests) == [8])
        #expect(plan.milliseconds == 800)
        let quick = ImportPlan(evidence, includesRefunds: false)
        #expect(quick.requests == 16)
        #expect(quick.milliseconds == 160)
    }

    @Test("Every customer ends in the true state, and customers with another state are listed")
    func migrated() async throws {
        let place = try StoredReceipts.place()
        let ids = StoredReceipts.reported.ids(at: StoredReceipts.stored)
        let files = try customers(ids)
        #expect(files.count == ids.count)
        let root = try folder(files, in: place.directory)
        let run = try await migrate(root, try AskedApple(), place)
        #expect(run.ingest.errors.isEmpty, "\(run.ingest.errors)")
        #expect(run.ingest.appended == Int64(ids.count))
        #expect(run.reports.map(\.isComplete) == [true])
        let untrue = try await wrong(ids, place)
        #expect(untrue == [:], "\(untrue)")
        let untrueEnds = try await MigratedEnds(ids: ids).wrong(place)
        #expect(untrueEnds == [:], "\(untrueEnds)")
        #expect(run.differences.compared == ids.count)
        for difference in run.differences.list {
            let id = difference.originalTransactionId.rawValue
            let truth = StoredReceipts.reported.truth(of: id, at: difference.at)?.state.rawValue
            // A retry that ended before any signed evidence of it stays unknown: Apple's newer,
            // signed evidence about the time after a period ranks above verifyReceipt.
            let isPastRetry =
                difference.byReceipts == "billingRetry" && difference.actual == "expired"
            #expect(difference.actual == truth || (isPastRetry && truth == "billingRetry"))
        }
    }

    @Test("After an outage in the middle the same run resumes there, and nothing is lost")
    func resumed() async throws {
        let place = try StoredReceipts.place()
        let ids = Array(StoredReceipts.reported.ids(at: StoredReceipts.stored).prefix(16))
        let root = try folder(try customers(ids), in: place.directory)
        let apple = try AskedApple()
        let evidence = try await StoreKitImport(apps: place.configuration.apps).read(root)
        let listed = evidence.ids(of: try #require(evidence.scopes.first))
        apple.transport.refuse(listed.suffix(BackfillLimits.failureStreak))
        let first = try await migrate(root, apple, place)
        let stopped = try #require(first.reports.first)
        #expect(stopped.stop?.code == "appleUnreachable")
        #expect(stopped.left > 0)
        apple.transport.refuse([])
        let second = try await migrate(root, apple, place)
        let ended = try #require(second.reports.first)
        #expect(ended.resumedAt == stopped.run.settled)
        #expect(ended.isComplete)
        // Twice: nothing is new.
        #expect(second.ingest.appended == 0)
        #expect(second.ingest.duplicates == Int64(ids.count))
        let untrue = try await wrong(ids, place)
        #expect(untrue == [:], "\(untrue)")
    }

    @Test("A customer whom Apple has refunded since is named, with the receipt's statement")
    func differing() async throws {
        // verifyReceipt stated it on a day on which Apple's records include the refund; the stored
        // response has another purchase date than Apple.
        let place = try StoredReceipts.place()
        let revoked = try #require(
            StoredReceipts.reported.ids(at: StoredReceipts.stored).first {
                StoredReceipts.reported.truth(of: $0, at: StoredReceipts.stored)?.state == .revoked
            })
        let body = String(
            decoding: try #require(
                StoredReceipts.reported.verifyReceipt(of: revoked, at: StoredReceipts.stored)),
            as: UTF8.self)
        let lost = body.replacing("cancellation_date", with: "cancelled_at")
        #expect(lost != body)
        let root = try folder([("a.json", Array(lost.utf8))], in: place.directory)
        let run = try await migrate(root, try AskedApple(), place)
        let difference = try #require(run.differences.list.first)
        #expect(difference.originalTransactionId.rawValue == revoked)
        #expect(difference.at == StoredReceipts.stored)
        #expect(difference.actual == "revoked")
        #expect(difference.byReceipts != "revoked")
        #expect(
            difference.since
                == StoredReceipts.reported.truth(of: revoked, at: StoredReceipts.stored)?.from)
        #expect(difference.text.contains("actual was revoked since"))
    }
}
