import AppStore
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

@Suite("The past of customers who came from original StoreKit")
struct MigratedPastTests {
    /// Which lives, and how many.
    static let seeds: [(seed: UInt64, chains: Int)] =
        Soak.isOn ? (7..<40).map { ($0, 250) } : [(10, 60)]

    /// The result of one migration run.
    private struct Migrated: Sendable {
        let past: MigratedPast
        let facts: [String: [Fact]]

        /// The facts, each transformed.
        func changed(_ change: (inout Fact) -> Void) -> [String: [Fact]] {
            facts.mapValues { facts in
                facts.map { fact in
                    var fact = fact
                    change(&fact)
                    return fact
                }
            }
        }
    }

    /// verifyReceipt responses and all version 1 notifications, then everything from Apple's API:
    /// each period is first stated by evidence signed long after it began.
    /// Of the first customers, each of whom is migrated by itself.
    private func migrated(_ plan: HistoryPlan, first count: Int = .max) async throws -> Migrated {
        let books = ServedRecords(plan)
        let reported = OriginalStoreKit(books)
        let ids = Array(reported.ids(at: StoredReceipts.stored).prefix(count))
        let migration = MigrationTests()
        let place = try StoredReceipts.place()
        var files: [(String, [UInt8])] = ids.compactMap { id in
            reported.verifyReceipt(of: id, at: StoredReceipts.stored).map {
                ("answers/\(id).json", $0)
            }
        }
        let sent = try reported.notificationsV1(through: AskedApple.now, password: MadeChain.secret)
            .filter { ids.contains($0.originalTransactionId) }
        files.append(("version1.ndjson", sent.map(\.body).inLines()))
        let root = try migration.folder(files, in: place.directory)
        let run = try await migration.migrate(root, try AskedApple(books: books), place)
        #expect(run.ingest.errors.isEmpty, "\(run.ingest.errors.prefix(3))")
        #expect(run.reports.map(\.isComplete) == [true])
        let past = MigratedPast(
            reported: reported, ids: ids, stated: StatedLives(plan),
            catalogue: .simulated)
        return Migrated(past: past, facts: try await past.facts(place))
    }

    private static func plan(_ seed: UInt64, chains: Int) -> HistoryPlan {
        HistoryPlan(
            world: SubscriberWorld(bundleId: AskedApple.app), environment: .production,
            seed: seed, limit: .chains(chains))
    }

    /// Customers of the plan that two tests share.
    private static let smallCount = 30
    private static let small = Task {
        try await MigratedPastTests().migrated(plan(10, chains: 60), first: smallCount)
    }

    @Test(
        "Past access is never wrong, except for what no source states any more",
        arguments: seeds)
    func past(seed: UInt64, chains: Int) async throws {
        let isShared = seed == 10 && chains == 60
        let run =
            try await isShared
            ? Self.small.value : migrated(Self.plan(seed, chains: chains))
        let differences = run.past.differences(run.facts)
        #expect(differences.wrong == [:])
        #expect(differences.comparedCount > 4 * (isShared ? Self.smallCount : chains))
        // All kinds of unstated events occur among many lives.
        if Soak.isOn, seed == Self.seeds[0].seed {
            #expect(Set(differences.counts.keys) == Set(MigratedExcuse.allCases))
        }
    }

    @Test("An excuse hides no difference that lasts longer than it holds")
    func bounds() async throws {
        let run = try await Self.small.value
        #expect(run.past.differences(run.facts).wrong == [:])
        // Every period ends after its first hour: no subscriber is excused.
        let cut = run.past.differences(
            run.changed { fact in
                guard fact.transaction?.expiresDate != nil,
                    let start = fact.transaction?.purchaseDate
                else { return }
                fact.transaction?.expiresDate = start.advanced(byMilliseconds: 3_600_000)
            })
        let subscribers = run.facts.filter { $1.contains { $0.transaction?.expiresDate != nil } }
        #expect(subscribers.count > 20)
        #expect(Set(subscribers.keys).subtracting(cut.wrong.keys) == [])
        // Grace a year longer than Apple gave.
        let stretched = run.past.differences(
            run.changed { fact in
                guard let end = fact.renewal?.gracePeriodExpiresDate else { return }
                fact.renewal?.gracePeriodExpiresDate = end.advanced(
                    byMilliseconds: 365 * Self.day)
            })
        #expect(stretched.wrong.values.joined().contains { $0.contains("grace for billingRetry") })
    }

    private static let day: Int64 = 86_400_000
}
