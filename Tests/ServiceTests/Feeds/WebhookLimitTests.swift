import AppStore
import TestSupport
import Testing

@testable import Intake
@testable import Service

@Suite("Limits of webhooks, at the bound and one past it")
struct WebhookLimitTests {
    @Test("the maximum number of endpoints can be configured, one more is refused with its setting")
    func endpoints() throws {
        func parse(_ count: Int) throws(ConfigurationError) -> Int {
            let lines = (0..<count).map {
                "  - { url: \"https://a.example/\($0)\", secretFile: s }"
            }
            return try ServiceConfiguration(
                yaml: "webhooks:\n" + lines.joined(separator: "\n")
            ).webhooks.count
        }
        #expect(try parse(WebhookLimits.endpointCount) == WebhookLimits.endpointCount)
        let error = #expect(throws: ConfigurationError.self) {
            try parse(WebhookLimits.endpointCount + 1)
        }
        #expect(error?.key == "webhooks")
    }

    @Test("a secret file of the maximum size is accepted, one byte more is refused")
    func secretFile() throws {
        let directory = try TemporaryDirectory()
        let secret = "whsec_" + String(repeating: "AAAA", count: 8) + "\n"
        for (excess, isRead) in [(0, true), (1, false)] {
            let blank = WebhookLimits.secretFileByteCount - secret.utf8.count + excess
            let path = try directory.write(
                Array((secret + String(repeating: "\n", count: blank)).utf8), to: "s\(excess)")
            let read = try? WebhookSecret(file: path, key: "webhooks[0].secretFile")
            #expect((read != nil) == isRead)
        }
    }

    @Test(
        "delays grow threefold from five seconds to eight hours, with a jitter of a fifth at most")
    func delays() {
        let (least, most) = (RetrySchedule { 0 }, RetrySchedule { 1 })
        let middle = RetrySchedule { 0.5 }
        #expect([1, 2, 3].map { middle.delay(after: $0) } == [5_000, 15_000, 45_000])
        let longest = WebhookLimits.longestDelayMilliseconds
        // 5 s × 3⁷ are three hours; three times that is more than eight.
        #expect(middle.delay(after: 8) == 5_000 * 2_187)
        for failures in [9, 10, 1_000, Int64.max] {
            #expect(middle.delay(after: failures) == longest)
        }
        for failures in [1, 4, 9] as [Int64] {
            let usual = middle.delay(after: failures)
            #expect(least.delay(after: failures) == usual * 80 / 100)
            #expect(most.delay(after: failures) == usual * 120 / 100)
        }
    }

    @Test("a change is parked with the last millisecond of three days")
    func giveUp() {
        let first = Timestamp(milliseconds: 1_780_272_000_000)
        for (excess, isOver) in [(Int64(-1), false), (0, true)] {
            let now = first.advanced(byMilliseconds: WebhookLimits.retryMilliseconds + excess)
            #expect(RetrySchedule.isOver(since: first, at: now) == isOver)
        }
    }
}
