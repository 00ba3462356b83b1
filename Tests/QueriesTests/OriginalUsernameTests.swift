import AppStore
import Ledger
import LedgerTestSupport
import Queries
import Testing

@Suite("Customers named by original StoreKit")
struct OriginalUsernameTests {
    private let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    private func chain(_ token: String?) -> MadeChain {
        var chain = MadeChain()
        chain.appAccountToken = token
        return chain
    }

    private func active(_ place: TemporaryLedger, _ customer: String) async throws -> [Bool?] {
        try await place.session { session in
            let moment = place.moment(chain(nil).start(0, 60_000), .everything)
            let answer = try await session.snapshot.entitlements(
                of: CustomerId(stated: customer), moment: moment)
            let json = try TemporaryLedger.json { answer.write(to: &$0) }
            return (json["entitlements"]?.array ?? []).map { $0["active"]?.bool }
        }
    }

    @Test("An applicationUsername that is a UUID is the appAccountToken, in any spelling")
    func spelled() async throws {
        var place = try TemporaryLedger()
        try place.share()
        let loud = chain(token.uppercased())
        _ = try await place.ingest([
            loud.notificationV1("INITIAL_BUY", through: 0, at: loud.start(0)),
            loud.verifyReceipt(through: 0, at: loud.start(0, 30_000)),
        ])
        #expect(try await active(place, token) == [true])
        #expect(try await active(place, token.uppercased()) == [true])
        let shown = try await place.show(loud.id, at: loud.start(0, 60_000))
        #expect(shown["appAccountToken"]?.string == token)
    }

    @Test("When StoreKit 2 states the same token later, it is the same customer without any change")
    func signed() async throws {
        var place = try TemporaryLedger()
        try place.share()
        let loud = chain(token.uppercased())
        _ = try await place.ingest([
            loud.notificationV1("INITIAL_BUY", through: 0, at: loud.start(0))
        ])
        _ = try await place.ingest([chain(token).bought()])
        #expect(try await active(place, token) == [true])
        let shown = try await place.show(loud.id, at: loud.start(0, 60_000))
        let notices = (shown["notices"]?.array ?? []).compactMap { $0["code"]?.string }
        #expect(!notices.contains("tokenChanged") && !notices.contains("contradiction"))
    }

    @Test("Without one, the purchase has no customer yet")
    func unknownCustomer() async throws {
        var place = try TemporaryLedger()
        try place.share()
        let silent = chain(nil)
        _ = try await place.ingest([
            silent.notificationV1("INITIAL_BUY", through: 0, at: silent.start(0))
        ])
        #expect(try await active(place, token).isEmpty)
        let shown = try await place.show(silent.id, at: silent.start(0, 60_000))
        #expect(shown["appAccountToken"]?.isNull == true)
    }
}
