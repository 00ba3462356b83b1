import AppStore
import Intake
import LedgerTestSupport
import TestSupport
import Testing

@testable import Service

@Suite("The doctor's findings about rates")
struct DoctorRatesTests {
    /// Level and message of each finding about this table at a time.
    private func findings(
        _ table: String?, at now: String, zone: String = "UTC"
    ) async throws -> [String] {
        var ledger = try TemporaryLedger()
        ledger.configuration.reportTimeZone = zone
        let file = try table.map { try ledger.directory.write(Array($0.utf8), to: "rates.yaml") }
        let moment = try #require(Timestamp(rfc3339: now))
        return await ledger.examined(at: moment) { $0.ratesFile = file }
            .filter { $0.subject == "rates" }.map { "\($0.level.rawValue) \($0.message)" }
    }

    /// The newest day is 2026-01-05; another currency ended long before.
    private static let dated = """
        currency: USD
        rates: {JPY: 0.0066}
        days:
          2022-12-30: {HRK: 0.14}
          2026-01-05: {EUR: 1.08}
          2026-01-02: {EUR: 1.07}
        """

    @Test("none without a table; one that cannot be read is bad")
    func unusable() async throws {
        let now = "2026-01-10T12:00:00.000Z"
        #expect(try await findings(nil, at: now).isEmpty)
        let found = try await findings("currency: euro", at: now)
        #expect(found.count == 1 && found[0].hasPrefix("bad "))
    }

    @Test("a table whose newest day is older than the bound is a warning, in the report zone")
    func old() async throws {
        // The sixth day begins at midnight.
        let (last, first) = ("2026-01-10T23:59:59.999Z", "2026-01-11T00:00:00.000Z")
        #expect(Doctor.freshRateDayCount == 5)
        #expect(try await findings(DoctorRatesTests.dated, at: last) == ["good usable"])
        let later = try await findings(DoctorRatesTests.dated, at: first)
        let berlin = try await findings(DoctorRatesTests.dated, at: last, zone: "Europe/Berlin")
        for found in [later, berlin] {
            #expect(found.count == 1 && found[0].hasPrefix("warning "))
            #expect(found[0].contains("2026-01-05") && found[0].contains("after 2026-01-12"))
        }
    }

    @Test("rates for all time, and days to come, are never old")
    func fresh() async throws {
        let now = "2026-06-01T00:00:00.000Z"
        #expect(try await findings("currency: USD\nrates: {EUR: 1}", at: now) == ["good usable"])
        let ahead = "currency: USD\ndays: {2026-06-02: {EUR: 1}}"
        #expect(try await findings(ahead, at: now) == ["good usable"])
    }
}
