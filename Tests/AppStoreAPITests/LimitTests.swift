import AppStore
import Testing

@testable import AppStoreAPI

@Suite("Limits of requests, at the bound and one past it")
struct LimitTests {
    @Test(
        "Each limit is the documented one",
        arguments: [
            (Int64(APILimits.answerByteCount), 4_194_304), (APILimits.timeoutMilliseconds, 30_000),
            (APILimits.connectTimeoutMilliseconds, 10_000), (Int64(APILimits.concurrency), 16),
            (Int64(APILimits.idByteCount), 1_024), (APILimits.tokenLifeSeconds, 300),
            (APILimits.tokenMarginSeconds, 30), (APILimits.clockToleranceMilliseconds, 30_000),
            (Int64(APILimits.barrenPageCount), 20), (Int64(APILimits.restartCount), 3),
            (APILimits.extensionDays.lowerBound, 1), (APILimits.extensionDays.upperBound, 90),
            (Int64(APILimits.requestIdentifierCharacterCount), 128),
            (APILimits.consumptionPercentages.upperBound, 100_000),
            (Int64(APILimits.messageHeaderCharacterCount), 66),
            (Int64(APILimits.messageBodyCharacterCount), 144),
            (Int64(APILimits.altTextCharacterCount), 150), (Int64(APILimits.bulletPointCount), 5),
            (Int64(APILimits.realtimeURLCharacterCount), 256),
            (Int64(APILimits.imageByteCount), 4_194_304), (Int64(RetryPolicy().attempts), 6),
            (RetryPolicy().budgetMilliseconds, 120_000),
            (Int64(AppReceiptLimits.byteCount), 4_194_304),
            (Int64(AppReceiptLimits.inAppPurchaseCount), 10_000),
            (Int64(AppReceiptLimits.attributeCount), 256),
        ] as [(Int64, Int64)])
    func documented(_ limit: Int64, _ value: Int64) { #expect(limit == value) }

    private func extended(
        days: Int64, _ identifier: String
    ) async throws -> (failure: APIFailure?, sent: Int) {
        let asked = try Asked([.json("{\"success\":true}")])
        let failure = await Asked.failure {
            try await RequestTests.extend(asked, days: days, identifier)
        }
        return (failure, asked.transport.requests.count)
    }

    @Test("a renewal date is extended only by days that Apple allows")
    func extensionDays() async throws {
        let days = APILimits.extensionDays
        for (count, isSent) in [
            (days.lowerBound, true), (days.upperBound, true), (days.lowerBound - 1, false),
            (days.upperBound + 1, false),
        ] {
            let ended = try await extended(days: count, "x")
            #expect(ended.sent == (isSent ? 1 : 0), "\(count) days")
            #expect(ended.failure?.code == (isSent ? nil : .invalidRequest))
        }
    }

    @Test("a request identifier has 1 to 128 characters")
    func requestIdentifier() async throws {
        let longest = APILimits.requestIdentifierCharacterCount
        for (count, isSent) in [(0, false), (1, true), (longest, true), (longest + 1, false)] {
            let ended = try await extended(days: 1, String(repeating: "é", count: count))
            #expect(ended.sent == (isSent ? 1 : 0), "\(count) characters")
            #expect(ended.failure?.code == (isSent ? nil : .invalidRequest))
        }
    }

    @Test("consumption is 0 to 100 percent")
    func consumption() async throws {
        let all = APILimits.consumptionPercentages
        for (percentage, isSent) in [
            (all.lowerBound, true), (all.upperBound, true), (all.lowerBound - 1, false),
            (all.upperBound + 1, false),
        ] {
            let asked = try Asked([.json("", status: 202)])
            var request = RequestTests.consumption()
            request.refundPreference = nil
            request.consumptionPercentage = percentage
            let failure = await Asked.failure { [request] in
                _ = try await asked.client.sendConsumptionInformation(
                    TransactionId("1"), request, in: .only(.production))
            }
            #expect(asked.transport.requests.count == (isSent ? 1 : 0), "\(percentage)")
            #expect(failure?.code == (isSent ? nil : .invalidRequest))
        }
    }

    @Test("a clock off by the tolerance is kept, a millisecond more is corrected")
    func clockTolerance() throws {
        let now = Asked.start
        for sign in [Int64(1), -1] {
            for (excess, isCorrected) in [(Int64(0), false), (1, true)] {
                let tokens = TokenSource(try Asked.credentials())
                let token = try tokens.token(at: now)
                let off = sign * (APILimits.clockToleranceMilliseconds + excess)
                tokens.refused(token, appleDate: now.advanced(byMilliseconds: off), at: now)
                #expect(tokens.correctionMilliseconds == (isCorrected ? off : 0))
            }
        }
    }

    @Test("a walk has a limited number of pages; beyond it ends with a reason")
    func longestWalk() {
        #expect(PageGuard().longestWalk == APILimits.pageCount)
        var pages = PageGuard(longestWalk: 3)
        for number in 1...3 {
            var page = HistoryResponse()
            page.signedTransactions = ["h.\(number).s"]
            page.revision = "\(number)"
            page.hasMore = true
            let objection = pages.objection(to: page)
            #expect((objection != nil) == (number == 3), "page \(number)")
            if let objection { #expect(objection.contains("more than 3 pages")) }
        }
    }
}
