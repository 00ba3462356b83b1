import AppStore
import Intake
import LedgerTestSupport
import Testing

@Suite("Lines that misname their evidence")
struct MisnamedPartTests {
    @Test("A line whose parts are signed as another kind is rejected")
    func rejected() async throws {
        let ledger = try TemporaryLedger()
        let lines = try MisnamedParts.all.map { try MisnamedParts.body($0, $1) }
        let summary = try await ledger.ingest(lines)
        #expect(summary.rejected == Int64(lines.count))
        #expect(summary.appended == 0)
        #expect(summary.errors.map(\.code) == lines.map { _ in "nestedPartInvalid" })
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
