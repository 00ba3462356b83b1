import AppStore
import AppStoreAPI
import LedgerTestSupport
import Testing

@testable import Simulator

extension FakeServerTests {
    @Test("a renewal date is extended twice a year, of an active subscription, by its first id")
    func extensions() async throws {
        // given
        let (chain, end) = try #require(FakeServerTests.ended)
        let ids = chain.transactions(at: end).compactMap { $0.transactionId?.rawValue }
        let later = try #require(ids.first { $0 != chain.originalTransactionId })
        let apple = try AskedApple()
        func number(_ id: String, _ moment: Timestamp) async -> Int64? {
            apple.clock.set(moment)
            let failure = await Asked.failure {
                _ = try await apple.client.extendRenewalDate(
                    OriginalTransactionId(id), days: 2, reason: Raw(.serviceIssueOrOutage),
                    requestIdentifier: "r", in: .productionFirst)
            }
            return failure?.appleCode?.rawValue
        }
        let (active, past) = (
            end.advanced(byMilliseconds: -3_600_000), end.advanced(byMilliseconds: 30 * 86_400_000)
        )
        // when
        var numbers = [await number(later, active)]
        for moment in [active, active, active, past] {
            numbers.append(await number(chain.originalTransactionId, moment))
        }
        // then
        #expect(numbers == [4_000_008, nil, nil, 4_030_005, 4_030_004])
    }

    @Test("each filter of a history takes the transactions that state its value, and no others")
    func historyFilters() throws {
        // given
        let chain = MadeChain()
        var first = chain.transaction(0, signed: chain.start)
        first.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("g1")
        var second = chain.transaction(1, signed: chain.start(1))
        second.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("g2")
        second.productId = ProductId("com.example.coins")
        second.type = Raw(.consumable)
        second.inAppOwnershipType = Raw(.familyShared)
        second.revocationDate = chain.start(2)
        func taken(_ name: String, _ value: String) throws -> [Bool] {
            let filter = try HistoryFilter(
                ServedRequest(
                    method: "GET", path: "/", query: [(name, value)], authorization: nil))
            return [first, second].map { filter.takes($0) }
        }
        let next = String(chain.start(1).milliseconds)
        let cases = [
            ("startDate", next, "endDate", next),
            ("productId", "com.example.coins", "productId", MadeChain.product),
            ("productType", "CONSUMABLE", "productType", "AUTO_RENEWABLE"),
            ("subscriptionGroupIdentifier", "g2", "subscriptionGroupIdentifier", "g1"),
            ("inAppOwnershipType", "FAMILY_SHARED", "inAppOwnershipType", "PURCHASED"),
            ("revoked", "true", "revoked", "false"),
        ]
        for (nameOfSecond, ofSecond, nameOfFirst, ofFirst) in cases {
            // when
            let (onlySecond, onlyFirst) = (
                try taken(nameOfSecond, ofSecond), try taken(nameOfFirst, ofFirst)
            )
            // then
            #expect(onlySecond == [false, true], "\(nameOfSecond)")
            #expect(onlyFirst == [true, false], "\(nameOfFirst)")
        }
        #expect(try taken("sort", "DESCENDING") == [true, true])
    }
}
