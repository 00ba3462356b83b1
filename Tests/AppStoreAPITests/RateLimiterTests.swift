import AppStore
import Testing

@testable import AppStoreAPI

@Suite("Rates")
struct RateLimiterTests {
    @Test(
        "as many as Apple accepts start at once, the next one a window later",
        arguments:
            Endpoint.allCases)
    func bound(_ endpoint: Endpoint) {
        for (environment, window) in [
            (AppStore.Environment.production, Int64(1_000)), (.sandbox, 10_000),
        ] {
            let limiter = RateLimiter()
            for _ in 0..<endpoint.requestsPerSecond {
                #expect(limiter.wait(endpoint, environment, at: 5) == 0)
            }
            #expect(limiter.wait(endpoint, environment, at: 5) == window)
        }
    }

    @Test("no interval of a second ever has more, however requests arrive")
    func sliding() throws {
        let limiter = RateLimiter()
        var (elapsed, starts): (Int64, [Int64]) = (0, [])
        for index in 0..<400 {
            elapsed += Int64(index * 7 % 13)
            let wait = try #require(limiter.wait(.refundHistory, .production, at: elapsed))
            starts.append(elapsed + wait)
        }
        for index in starts.indices.dropFirst(10) {
            #expect(starts[index] - starts[index - 10] >= 1_000)
        }
    }

    @Test("kinds and environments have separate allowances")
    func lanes() {
        let limiter = RateLimiter()
        #expect(limiter.wait(.massExtendRenewalDate, .production, at: 0) == 0)
        #expect(limiter.wait(.testNotificationStatus, .production, at: 0) == 0)
        #expect(limiter.wait(.massExtendRenewalDate, .sandbox, at: 0) == 0)
        #expect(limiter.wait(.massExtendRenewalDate, .production, at: 999) == 1)
    }

    @Test("nothing starts while Apple holds a kind")
    func hold() {
        let limiter = RateLimiter()
        limiter.hold(.transactionInfo, .production, until: 3_000)
        limiter.hold(.transactionInfo, .production, until: 2_000)
        #expect(limiter.wait(.transactionInfo, .production, at: 100) == 2_900)
        #expect(limiter.wait(.transactionInfo, .sandbox, at: 100) == 0)
    }

    @Test("a hold up to the longest wait reserves a start, a longer one reports its end")
    func longestHold() {
        let limiter = RateLimiter()
        limiter.hold(.refundHistory, .production, until: 5_000)
        for _ in 0..<100 {
            #expect(
                limiter.reserve(.refundHistory, .production, at: 0, longest: 4_999)
                    == .held(until: 5_000))
        }
        // None of them reserved a start: the full rate starts at the end of the hold.
        for _ in 0..<Endpoint.refundHistory.requestsPerSecond {
            #expect(
                limiter.reserve(.refundHistory, .production, at: 0, longest: 5_000)
                    == .after(milliseconds: 5_000))
        }
        #expect(limiter.wait(.refundHistory, .production, at: 0) == 6_000)
    }

    @Test("a held request gets the end of its hold, whatever others get meanwhile")
    func holdsTogether() async {
        let limiter = RateLimiter()
        limiter.hold(.refundHistory, .production, until: 1_000)
        await withTaskGroup(of: RateLimiter.Place.self) { group in
            for index in 1...200 {
                group.addTask {
                    limiter.hold(.refundHistory, .production, until: 1_000 + Int64(index))
                    return limiter.reserve(.refundHistory, .production, at: 0, longest: 1_000)
                }
            }
            for await place in group {
                // Rejected because of a hold longer than the longest wait, and given that hold.
                guard case .held(let until) = place else {
                    Issue.record("a start was reserved inside a hold")
                    continue
                }
                #expect(until > 1_000)
            }
        }
    }

    @Test("the documented rates")
    func rates() {
        let expected: [Int: Int] = [50: 7, 20: 2, 10: 3, 1: 17]
        // Apple documents no rate for verifyReceipt.
        let documented = Endpoint.allCases.filter { $0 != .verifyReceipt }
        #expect(
            Dictionary(grouping: documented, by: \.requestsPerSecond).mapValues(\.count)
                == expected)
    }
}

extension RateLimiter {
    /// The wait before a request starts; nil if it was not reserved.
    fileprivate func wait(
        _ endpoint: Endpoint, _ environment: AppStore.Environment, at elapsed: Int64
    ) -> Int64? {
        guard case .after(let wait) = reserve(endpoint, environment, at: elapsed) else {
            return nil
        }
        return wait
    }
}
