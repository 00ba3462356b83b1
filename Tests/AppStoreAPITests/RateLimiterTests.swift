import AppStore
import Testing

@testable import AppStoreAPI

@Suite("Rates")
struct RateLimiterTests {
    @Test(
        "as many as Apple takes begin at once, the next one a window later",
        arguments:
            Endpoint.allCases)
    func bound(_ endpoint: Endpoint) {
        for (environment, window) in [
            (AppStore.Environment.production, Int64(1_000)), (.sandbox, 10_000),
        ] {
            let limiter = RateLimiter()
            for _ in 0..<endpoint.requestsPerSecond {
                #expect(limiter.reserve(endpoint, environment, at: 5) == 0)
            }
            #expect(limiter.reserve(endpoint, environment, at: 5) == window)
        }
    }

    @Test("no stretch of a second ever holds more, however requests come")
    func sliding() throws {
        let limiter = RateLimiter()
        var (elapsed, starts): (Int64, [Int64]) = (0, [])
        for index in 0..<400 {
            elapsed += Int64(index * 7 % 13)
            let wait = try #require(limiter.reserve(.refundHistory, .production, at: elapsed))
            starts.append(elapsed + wait)
        }
        for index in starts.indices.dropFirst(10) {
            #expect(starts[index] - starts[index - 10] >= 1_000)
        }
    }

    @Test("kinds and environments have allowances of their own")
    func lanes() {
        let limiter = RateLimiter()
        #expect(limiter.reserve(.massExtendRenewalDate, .production, at: 0) == 0)
        #expect(limiter.reserve(.testNotificationStatus, .production, at: 0) == 0)
        #expect(limiter.reserve(.massExtendRenewalDate, .sandbox, at: 0) == 0)
        #expect(limiter.reserve(.massExtendRenewalDate, .production, at: 999) == 1)
    }

    @Test("nothing begins while Apple holds a kind back")
    func hold() {
        let limiter = RateLimiter()
        limiter.hold(.transactionInfo, .production, until: 3_000)
        limiter.hold(.transactionInfo, .production, until: 2_000)
        #expect(limiter.reserve(.transactionInfo, .production, at: 100) == 2_900)
        #expect(limiter.reserve(.transactionInfo, .sandbox, at: 100) == 0)
    }

    @Test("the documented rates are these")
    func rates() {
        let expected: [Int: Int] = [50: 7, 20: 2, 10: 2, 1: 4]
        #expect(
            Dictionary(grouping: Endpoint.allCases, by: \.requestsPerSecond).mapValues(\.count)
                == expected)
    }
}
