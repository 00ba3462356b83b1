import AppStore
import Reports
import Testing

/// Movements of others over simulated lives: what they add up to is what stands at both ends.
@Suite("Movements of others balance over simulated lives")
struct MovementIdentityTests {
    private struct Place: Hashable {
        var from: Timestamp
        var currency: String?
    }

    private func theirs(_ report: ComparisonReport) -> [Place: [String: Int64]] {
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

    @Test("What came less what went is what stands at the end less what stood at the start")
    func balance() async throws {
        let world = try await RecountedWorld.make(1..<120, sharing: true)
        let own = try await world.query { try await $0.metric(.mrrMovement, $1) }
        // Of adopted customers nobody knows how they came; another currency is neither.
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
