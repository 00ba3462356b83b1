import AppStore
import Ledger
import LedgerService
import Simulator
import Testing

@Suite("The past of customers who came from original StoreKit")
struct MigratedPastTests {
    private static let plan = HistoryPlan(
        world: SubscriberWorld(bundleId: AskedApple.app), environment: .production, seed: 7,
        limit: .chains(250))

    /// Answers of verifyReceipt and every version 1 notification, then all that Apple's API tells:
    /// each period is first stated by something signed long after it began.
    @Test("Nobody lost or gained access at any time, but what nobody can tell any more")
    func past() async throws {
        let books = ServedBooks(Self.plan)
        let told = OriginalStoreKit(books)
        let ids = told.ids(at: MigrationTests.stored)
        let migration = MigrationTests()
        let place = try migration.place()
        var files: [(String, [UInt8])] = ids.compactMap { id in
            told.verifyReceipt(of: id, at: MigrationTests.stored).map { ("answers/\(id).json", $0) }
        }
        let sent = try told.notificationsV1(through: AskedApple.now, password: MadeChain.secret)
        files.append(
            ("version1.ndjson", Array(sent.map(\.body).joined(separator: [UInt8(ascii: "\n")]))))
        let root = try migration.folder(files, in: place.directory)
        let run = try await migration.migrate(root, try AskedApple(books: books), place)
        #expect(run.ingest.errors.isEmpty, "\(run.ingest.errors.prefix(3))")
        #expect(run.reports.map(\.isComplete) == [true])
        let differences = try await MigratedPast(
            told: told, ids: ids, extended: Set(MigratedEnds.extensions(of: Self.plan).keys),
            catalogue: MigrationTests.catalogue
        ).differences(place)
        #expect(differences.wrong == [])
        #expect(differences.comparedCount > 1_000)
        // Payments that failed while the anchor was kept are among these lives.
        #expect((differences.counts[.graceOfKeptAnchor] ?? 0) > 0)
    }
}
