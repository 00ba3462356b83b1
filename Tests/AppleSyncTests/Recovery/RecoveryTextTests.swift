import AppStore
import Ledger
import Testing

@testable import AppleSync

@Suite("The text where nothing looks missing")
struct RecoveryTextTests {
    @Test("States how far back detection looks, and what answers for the time before")
    func bound() {
        let days = OutageDetection.lookBackMilliseconds / 86_400_000
        for isTooOld in [false, true] {
            let text = RecoveryText.nothing(
                isTooOld: isTooOld, hasDeliveries: true, complete: nil)
            #expect(text.contains("the \(days) days up to the last delivery"))
            #expect(text.contains("`subledger recover --from T` can tell"))
            #expect(text.hasSuffix("(completeness not confirmed).\n"))
        }
        let recent = RecoveryText.nothing(isTooOld: false, hasDeliveries: true, complete: nil)
        #expect(recent.hasPrefix("Nothing looks missing in the last \(days) days: "))
        let none = RecoveryText.nothing(isTooOld: false, hasDeliveries: false, complete: nil)
        #expect(none.hasPrefix("No delivery is known here: Apple may not reach this service."))
        #expect(none.contains("Apple lists no failed delivery that is missing here."))
        #expect(none.contains("`subledger recover --from T` can tell"))
    }

    @Test("Where Apple delivers version 1, says so instead of that nothing arrives")
    func versionOne() {
        let last = Timestamp(milliseconds: 1_767_225_600_000)
        for hasDeliveries in [false, true] {
            let text = RecoveryText.nothing(
                isTooOld: false, hasDeliveries: hasDeliveries, versionOneAt: last, complete: nil)
            #expect(text.hasPrefix("Apple delivers version 1 notifications here, the last at 2026"))
            #expect(!text.contains("Nothing looks missing"))
        }
    }

    @Test("A report beyond its bounds says how many it does not list, and what lists the rest")
    func bounds() throws {
        var report = RecoveryReport(complete: nil, position: 1)
        report.chains = (0..<RecoveryReport.limit).map { number in
            RecoveryReport.ChangedChain(
                chain: ChainId(
                    bundleId: BundleId("com.example.app"),
                    originalTransactionId: OriginalTransactionId("\(number)")),
                before: nil, after: .expired)
        }
        #expect(RecoveryText.report(report).contains("  and 990 more (--json)\n"))
        report.chainsOmitted = 7
        let text = RecoveryText.report(report)
        #expect(text.contains("1007 chains changed state:\n"))
        #expect(text.contains("  and 990 more (--json), 7 not listed\n"))
        report.undelivered = [
            try #require(UndeliveredNotification(kept: #"{"notificationUUID":"u","attempts":[]}"#))
        ]
        #expect(!RecoveryText.report(report).contains("there may be more"))
        report.isUndeliveredCut = true
        #expect(RecoveryText.report(report).contains("`recover --only-failures` with a shorter"))
    }

    @Test("States the certain window, if there is one")
    func certain() {
        let window = CompleteWindow(
            from: Timestamp(milliseconds: 1_767_225_600_000),
            through: Timestamp(milliseconds: 1_769_904_000_000))
        #expect(
            RecoveryText.nothing(isTooOld: false, hasDeliveries: true, complete: window).hasSuffix(
                "(complete from 2026-01-01T00:00:00.000Z through 2026-02-01T00:00:00.000Z).\n"))
    }
}
