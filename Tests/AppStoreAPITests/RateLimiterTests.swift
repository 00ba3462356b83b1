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
                #expect(limiter.wait(endpoint, environment, at: 5) == 0)
            }
            #expect(limiter.wait(endpoint, environment, at: 5) == window)
        }
    }

    @Test("no stretch of a second ever holds more, however requests come")
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

    @Test("an operator may leave some of Apple's rate to others, and never takes more than it")
    func ceiling() {
        let limiter = RateLimiter(ceiling: 2)
        let waits = (0..<5).map { _ in limiter.wait(.transactionInfo, .production, at: 0) }
        #expect(waits == [0, 0, 1_000, 1_000, 2_000])
        #expect(limiter.wait(.massExtendRenewalDate, .production, at: 0) == 0)
        #expect(limiter.wait(.massExtendRenewalDate, .production, at: 0) == 1_000)
        #expect(RateLimiter.Rate(.refundHistory, .production, ceiling: 11).count == 10)
        #expect(RateLimiter.Rate(.refundHistory, .production, ceiling: 10).count == 10)
        #expect(RateLimiter.Rate(.refundHistory, .production, ceiling: 9).count == 9)
    }

    @Test("kinds and environments have allowances of their own")
    func lanes() {
        let limiter = RateLimiter()
        #expect(limiter.wait(.massExtendRenewalDate, .production, at: 0) == 0)
        #expect(limiter.wait(.testNotificationStatus, .production, at: 0) == 0)
        #expect(limiter.wait(.massExtendRenewalDate, .sandbox, at: 0) == 0)
        #expect(limiter.wait(.massExtendRenewalDate, .production, at: 999) == 1)
    }

    @Test("nothing begins while Apple holds a kind back")
    func hold() {
        let limiter = RateLimiter()
        limiter.hold(.transactionInfo, .production, until: 3_000)
        limiter.hold(.transactionInfo, .production, until: 2_000)
        #expect(limiter.wait(.transactionInfo, .production, at: 100) == 2_900)
        #expect(limiter.wait(.transactionInfo, .sandbox, at: 100) == 0)
    }

    @Test("a hold at the longest wait is one, one past it takes no place and says until when")
    func longestHold() {
        let limiter = RateLimiter()
        limiter.hold(.refundHistory, .production, until: 5_000)
        for _ in 0..<100 {
            #expect(
                limiter.reserve(.refundHistory, .production, at: 0, longest: 4_999)
                    == .held(until: 5_000))
        }
        // None of them took a place: as many as ever begin at the end of the hold.
        for _ in 0..<Endpoint.refundHistory.requestsPerSecond {
            #expect(
                limiter.reserve(.refundHistory, .production, at: 0, longest: 5_000)
                    == .after(milliseconds: 5_000))
        }
        #expect(limiter.wait(.refundHistory, .production, at: 0) == 6_000)
    }

    @Test("who is held back is told the time that held then, whatever others are told meanwhile")
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
                // Refused because of a hold that is longer than the longest wait, and told that one.
                guard case .held(let until) = place else {
                    Issue.record("a place was given inside a hold")
                    continue
                }
                #expect(until > 1_000)
            }
        }
    }

    @Test("the documented rates are these")
    func rates() {
        let expected: [Int: Int] = [50: 7, 20: 2, 10: 2, 1: 4]
        // Of verifyReceipt Apple documents none.
        let documented = Endpoint.allCases.filter { $0 != .verifyReceipt }
        #expect(
            Dictionary(grouping: documented, by: \.requestsPerSecond).mapValues(\.count)
                == expected)
    }
}

extension RateLimiter {
    /// How long to wait for a place; nil when none was given.
    fileprivate func wait(
        _ endpoint: Endpoint, _ environment: AppStore.Environment, at elapsed: Int64
    ) -> Int64? {
        guard case .after(let wait) = reserve(endpoint, environment, at: elapsed) else {
            return nil
        }
        return wait
    }
}
