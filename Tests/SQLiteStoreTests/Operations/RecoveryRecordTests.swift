import AppStore
import LedgerStore
import Signing
import Testing

@Suite("Stored recoveries")
struct RecoveryRecordTests {
    private static let start = Timestamp(milliseconds: 1_780_272_000_000)
    private static let app = BundleId("com.example.app")

    private func slice() -> RecoverySlice {
        RecoverySlice(
            pass: 0, from: Self.start.advanced(byMilliseconds: -1_000), to: Self.start)
    }

    @Test("a recovery that is not continued is kept for a week, and not a millisecond longer")
    func age() async throws {
        let lifetime = OperationsLimits.recoveryMilliseconds
        try await OperationsEngine.each { store in
            for (id, age, isKept) in [("a", lifetime - 1, true), ("b", lifetime, false)] {
                _ = try await store.beginRecovery(
                    id, at: Self.start, start: 1, log: .start, slices: [slice()],
                    keptFor: lifetime)
                let later = Self.start.advanced(byMilliseconds: age)
                let begun = try await store.beginRecovery(
                    id, at: later, start: 1, log: .start, slices: [slice()], keptFor: lifetime)
                #expect((begun.requestedAt == Self.start) == isKept)
            }
        }
    }

    @Test("undelivered notifications are stored up to the bound, each once")
    func undelivered() async throws {
        let bound = OperationsLimits.undeliveredCount
        try await OperationsEngine.each { store in
            _ = try await store.beginRecovery(
                "a", at: Self.start, start: 1, log: .start, slices: [slice()],
                keptFor: OperationsLimits.recoveryMilliseconds)
            // The others are repeated; one batch passes the bound.
            for count in [bound - 1, bound + 1, bound + 1] {
                try await store.advanceRecovery(
                    "a", slice(), undelivered: (0..<count).map { (name: "\($0)", body: "{}") },
                    appleDate: nil, isFlawed: false, log: .start)
                #expect(try await store.undelivered("a").count == min(count, bound))
            }
        }
    }

    @Test("the earliest time of Apple's clock is kept, a flaw and the last position stay")
    func noted() async throws {
        let lifetime = OperationsLimits.recoveryMilliseconds
        try await OperationsEngine.each { store in
            let begun = try await store.beginRecovery(
                "a", at: Self.start, start: 5, log: .start, slices: [slice()], keptFor: lifetime)
            #expect(begun.appleRequestedAt == nil && !begun.isFlawed)
            var part = slice()
            part.place = "next"
            part.fetchedCount = 3
            let ends = [Int64](6...7).map {
                ProjectionCursor(position: $0, leafHash: SHA256.hash([UInt8($0)]))
            }
            let notes: [(date: Int64?, isFlawed: Bool, log: ProjectionCursor)] = [
                (nil, false, ends[0]), (20, false, ends[1]), (10, true, ends[0]),
                (nil, false, .start), (30, false, ends[0]),
            ]
            for note in notes {
                try await store.advanceRecovery(
                    "a", part, undelivered: [],
                    appleDate: note.date.map { Timestamp(milliseconds: $0) },
                    isFlawed: note.isFlawed, log: note.log)
            }
            let noted = try await store.beginRecovery(
                "a", at: Self.start, start: 7, log: .start, slices: [slice()], keptFor: lifetime)
            #expect(noted.appleRequestedAt?.milliseconds == 10 && noted.isFlawed)
            #expect(noted.startPosition == 5 && noted.slices == [part])
            #expect(noted.reached == ends[1])
        }
    }

    private func report(_ number: Int, of app: BundleId = Self.app) -> StoredReport {
        StoredReport(
            bundleId: app, endedAt: Self.start.advanced(byMilliseconds: Int64(number)),
            isFlawed: number.isMultiple(of: 2), json: "{\"n\":\(number)}", text: "\(number)\n")
    }

    @Test("the last report is found, of any app or of one; an unstored report is nil")
    func last() async throws {
        try await OperationsEngine.each { store in
            #expect(try await store.lastRecoveryReport(of: nil) == nil)
            try await store.endRecovery("a")
            #expect(try await store.lastRecoveryReport(of: nil) == nil)
            try await store.endRecovery("a", keeping: report(1))
            let other = BundleId("com.example.other")
            try await store.endRecovery("b", keeping: report(2, of: other))
            #expect(try await store.lastRecoveryReport(of: nil) == report(2, of: other))
            #expect(try await store.lastRecoveryReport(of: Self.app) == report(1))
            #expect(try await store.lastRecoveryReport(of: BundleId("none")) == nil)
        }
    }

    @Test("reports are listed newest first, and found by the number in the list")
    func listed() async throws {
        try await OperationsEngine.each { store in
            #expect(try await store.recoveryReports().isEmpty)
            #expect(try await store.recoveryReport(1) == nil)
            try await store.endRecovery("a", keeping: report(1))
            try await store.endRecovery("a", keeping: report(2))
            let listed = try await store.recoveryReports()
            #expect(listed.map(\.endedAt) == [report(2).endedAt, report(1).endedAt])
            #expect(listed.map(\.isFlawed) == [true, false])
            for (entry, number) in zip(listed, [2, 1]) {
                #expect(try await store.recoveryReport(entry.id) == report(number))
            }
        }
    }

    @Test("a report of a state before an erasure is refused, and the recovery stays open")
    func erased() async throws {
        try await OperationsEngine.each { store in
            _ = try await store.beginRecovery(
                "a", at: Self.start, start: 1, log: .start, slices: [slice()],
                keptFor: OperationsLimits.recoveryMilliseconds)
            let before = try await store.erasureCount()
            try await store.erase(chains: [], ids: ["7"], positions: [])
            #expect(try await !store.endRecovery("a", keeping: report(1), erasures: before))
            #expect(try await store.recoveryReports().isEmpty)
            #expect(try await store.openRecoveries().map(\.id) == ["a"])
            let after = try await store.erasureCount()
            #expect(try await store.endRecovery("a", keeping: report(2), erasures: after))
            #expect(try await store.lastRecoveryReport(of: nil) == report(2))
            #expect(try await store.openRecoveries().isEmpty)
            // Without a report nothing is refused.
            #expect(try await store.endRecovery("a", erasures: before))
        }
    }

    @Test("a recovery is open until it ends")
    func open() async throws {
        try await OperationsEngine.each { store in
            #expect(try await store.openRecoveries().isEmpty)
            for (id, wait) in [("a", Int64(0)), ("b", 1)] {
                _ = try await store.beginRecovery(
                    id, at: Self.start.advanced(byMilliseconds: wait), start: 1, log: .start,
                    slices: [slice()], keptFor: OperationsLimits.recoveryMilliseconds)
            }
            #expect(try await store.openRecoveries().map(\.id) == ["b", "a"])
            #expect(try await store.openRecoveries().first?.slices == [slice()])
            try await store.endRecovery("b")
            #expect(try await store.openRecoveries().map(\.id) == ["a"])
        }
    }

    @Test("the newest reports stay: the first one at the bound, but not past it")
    func bound() async throws {
        try await OperationsEngine.each { store in
            let first = BundleId("com.example.first")
            try await store.endRecovery("a", keeping: report(0, of: first))
            for number in 1..<OperationsLimits.recoveryReportCount {
                try await store.endRecovery("a", keeping: report(number))
            }
            #expect(try await store.lastRecoveryReport(of: first) == report(0, of: first))
            try await store.endRecovery("a", keeping: report(99))
            #expect(try await store.lastRecoveryReport(of: first) == nil)
            #expect(try await store.lastRecoveryReport(of: nil) == report(99))
        }
    }
}
