import AppStore
import Foundation
import LedgerTestSupport
import Testing

@testable import Simulator

@Suite("A generated history")
struct HistoryTests {
    private func all(_ plan: HistoryPlan) -> [HistoryDelivery] {
        var stream = HistoryStream(plan)
        var deliveries: [HistoryDelivery] = []
        while true {
            let page = stream.next()
            if page.isEmpty { return deliveries }
            deliveries += page
        }
    }

    private func names(_ deliveries: [HistoryDelivery]) -> [String] {
        deliveries.map { "\($0.life) \($0.delivery.ordinal) \($0.delivery.receivedAt)" }
    }

    @Test("It has as many deliveries as were requested", arguments: [1, 2, 63, 64, 65])
    func count(_ events: Int) {
        #expect(all(HistoryPlan(limit: .events(events))).count == events)
    }

    @Test("It is in order of arrival, lives interleaved")
    func order() {
        let deliveries = all(HistoryPlan(limit: .events(5_000)))
        #expect(deliveries.count == 5_000)
        let times = deliveries.map(\.delivery.receivedAt)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        let changes = zip(deliveries, deliveries.dropFirst()).count { $0.life != $1.life }
        #expect(changes > 4_000)
    }

    @Test("The buffer is bounded, at the expense of order if necessary")
    func bounded() {
        // All lives start at once, so none can be emitted before all have started.
        let day = SubscriberWorld.defaultFirstPurchases.lowerBound
        let world = SubscriberWorld(firstPurchases: day...day)
        var stream = HistoryStream(HistoryPlan(world: world, limit: .chains(2_800)))
        var (count, pages) = (0, 0)
        while true {
            let page = stream.next()
            if page.isEmpty { break }
            #expect(page.count <= HistoryStream.pendingLimit + 60 * HistoryStream.livesPerStep)
            count += page.count
            pages += 1
        }
        #expect(count > HistoryStream.pendingLimit)
        #expect(pages > 1)
    }

    @Test("The same plan gives the same history, another seed another one with other chains")
    func seeds() {
        let once = all(HistoryPlan(seed: 3, limit: .events(500)))
        #expect(names(once) == names(all(HistoryPlan(seed: 3, limit: .events(500)))))
        let other = all(HistoryPlan(seed: 4, limit: .events(500)))
        let ids = { (deliveries: [HistoryDelivery]) in
            Set(deliveries.compactMap { $0.delivery.transaction?.originalTransactionId })
        }
        #expect(ids(once).isDisjoint(with: ids(other)))
        let longest = ids(all(HistoryPlan(seed: HistoryPlan.maximumSeed, limit: .events(50))))
        #expect(longest.allSatisfy { $0.rawValue.count <= 22 })
    }

    @Test("Complete lives have their truth on the last delivery")
    func chains() {
        let deliveries = all(HistoryPlan(limit: .chains(300)))
        #expect(Set(deliveries.map(\.life)).count == 300)
        let last = Dictionary(deliveries.enumerated().map { ($1.life, $0) }) { max($0, $1) }
        for (index, entry) in deliveries.enumerated() {
            #expect((entry.truth != nil) == (last[entry.life] == index))
        }
    }

    @Test(
        "Only lives of the environment are included", arguments: [Environment.production, .sandbox])
    func environment(_ environment: Environment) {
        let deliveries = all(HistoryPlan(environment: environment, limit: .chains(100)))
        let named = Set(deliveries.compactMap { $0.delivery.transaction?.environment?.value })
        #expect(named == [environment])
    }

    @Test("Signed on all cores, it comes in order; skipped deliveries are not signed again")
    func signed() async throws {
        let plan = HistoryPlan(limit: .events(200))
        let history = SignedHistory(plan, authority: TestAuthority.shared)
        var whole: [UInt8] = []
        let end = try await history.emit { whole += $0.lines }
        #expect(end.events == 200)
        let times = whole.split(separator: UInt8(ascii: "\n")).map(Self.receivedAt)
        #expect(times == all(plan).map(\.delivery.receivedAt.rfc3339))
        var rest: [UInt8] = []
        let skipped = try await history.emit(skipping: 150) { rest += $0.lines }
        #expect(skipped.events == 200)
        #expect(
            rest.split(separator: UInt8(ascii: "\n")).map(Self.receivedAt)
                == Array(times.dropFirst(150)))
        let nothing = try await history.emit(skipping: 200) { _ in Issue.record("emitted") }
        #expect(nothing.events == 0)
    }

    private static func receivedAt(_ line: ArraySlice<UInt8>) -> String {
        (try? JSONValue.parse(Array(line)))?["receivedAt"]?.string ?? ""
    }

    @Test("An error of the writer ends the history")
    func stops() async throws {
        struct Enough: Error {}
        let history = SignedHistory(
            HistoryPlan(limit: .events(1_000)), authority: TestAuthority.shared)
        var pieces = 0
        await #expect(throws: Enough.self) {
            try await history.emit { _ in
                pieces += 1
                if pieces == 3 { throw Enough() }
            }
        }
        #expect(pieces == 3)
    }

    @Test("A stored authority is the same the next time")
    func keptAuthority() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "subledger-authority-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // An empty directory holds none yet.
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let made = try Authority.kept(in: folder.path)
        let again = try Authority.kept(in: folder.path)
        #expect(made.rootDER == again.rootDER)
        #expect(made.leafDER == again.leafDER)
        #expect(made.headerSegment == again.headerSegment)
        try FileManager.default.removeItem(at: folder.appending(path: "leaf.key"))
        #expect(throws: Authority.DirectoryProblem.self) {
            try Authority.kept(in: folder.path)
        }
    }
}
