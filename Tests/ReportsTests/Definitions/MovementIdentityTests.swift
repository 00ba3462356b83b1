import AppStore
import LedgerTestSupport
import Reports
import Testing

/// Movements by other definitions over simulated lives: they add up to the difference of both ends.
@Suite("Movements by other definitions balance over simulated lives")
struct MovementIdentityTests {
    private struct Place: Hashable {
        var from: Timestamp
        var currency: String?
    }

    private func theirs(_ report: Report) -> [Place: [String: Int64]] {
        var sums: [Place: [String: Int64]] = [:]
        for row in report.rows {
            let place = Place(from: row.from, currency: row.currency)
            sums[place, default: [:]][row.figure] = row.theirs
        }
        return sums
    }

    private static let parts: [(DefinitionPack, plus: [String], minus: [String])] = [
        (.revenuecat, ["new"], ["churned"]),
        (.stripe, ["new", "reactivated", "expansion"], ["contraction", "churned"]),
    ]

    @Test("Gains less losses equal the amount at the end less that at the start")
    func balance() async throws {
        let world = try await RecountedWorld.make(1..<120, sharing: true)
        let own = try await world.query { try await $0.metric(.mrrMovement, $1) }
        // The beginning of adopted customers is unknown; a change of currency is no movement.
        let apart = ["appeared", "movedIn", "movedOut"].map { "annualised.\($0)" }
        let unlike = Set(
            own.rows.filter { row in apart.contains { row.amounts[$0] ?? 0 != 0 } }.map {
                Place(from: $0.from, currency: $0.group[0])
            })
        for (pack, plus, minus) in Self.parts {
            let moved = theirs(
                try await world.query { try await $0.comparison("mrr-movement", $1, pack) })
            let standing = theirs(
                try await world.query { try await $0.comparison("mrr", $1, pack) })
            let starts = Set(own.rows.map(\.from)).sorted()
            var count = 0
            for currency in Set(moved.keys.map(\.currency)) {
                var before: Int64 = 0
                for from in starts {
                    let place = Place(from: from, currency: currency)
                    let end = standing[place]?["annualised"] ?? 0
                    let figures = moved[place] ?? [:]
                    let sum =
                        plus.reduce(Int64(0)) { $0 + (figures[$1] ?? 0) }
                        - minus.reduce(Int64(0)) { $0 + (figures[$1] ?? 0) }
                    if !unlike.contains(place) {
                        #expect(sum == end - before, "\(pack) \(from.rfc3339) \(currency ?? "")")
                        if sum != 0 { count += 1 }
                    }
                    before = end
                }
            }
            #expect(count > 20)
        }
    }
}
