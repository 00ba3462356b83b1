import AppStore
import Intake
import LedgerTestSupport
import Testing

@Suite("Lines that misname their evidence")
struct MisnamedPartTests {
    @Test("A line whose parts are signed as another kind is rejected", arguments: MisnamedParts.all)
    func rejected(transaction: String, renewal: String?) async throws {
        let ledger = try TemporaryLedger()
        let summary = try await ledger.ingest([try MisnamedParts.body(transaction, renewal)])
        #expect(summary.rejected == 1)
        #expect(summary.appended == 0)
        #expect(summary.errors.map(\.code) == ["nestedPartInvalid"])
    }

    @Test("So is an element of signedTransactions; a transaction among them is accepted")
    func list() async throws {
        let renewal = try MisnamedParts.signed("renewal")
        let transaction = try MisnamedParts.signed("transaction")
        var json = JSONWriter()
        json.object { $0.array("signedTransactions", [renewal, transaction]) { $0.value($1) } }
        let summary = try await TemporaryLedger().ingest([json.bytes])
        #expect(summary.rejected == 1)
        #expect(summary.appended == 1)
        #expect(summary.errors.map(\.code) == ["nestedPartInvalid"])
    }
}
