import AppStore
import Testing

@testable import Intake
@testable import Service

/// Findings of `make fuzz` for the service: one case for each, with the input in plain text, or in
/// base64 where it is not readable.
@Suite("Fuzz regressions of the service")
struct FuzzRegressionTests {
    /// A configuration, and the key that its error must name.
    static let namelessKeys = [
        ("\"\": 1", "file"), ("? [a]\n: 1", "file"), ("? {a: b}\n: 1", "file"),
        ("server: { \"\": 1 }", "server"), ("apps:\n  - ? [a]\n    : 1", "apps[0]"),
    ]

    @Test(
        "A configuration key without a name is refused by naming its place", arguments: namelessKeys
    )
    func namelessKey(yaml: String, place: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(yaml: yaml)
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.key == place)
    }

    @Test("The pieces of a status response are counted over all its groups")
    func piecesOverGroups() throws {
        func body(groups: Int, items: Int) -> [UInt8] {
            let list = Array(repeating: "0", count: items).joined(separator: ",")
            let group = #"{"lastTransactions":[\#(list)]}"#
            let all = Array(repeating: group, count: groups).joined(separator: ",")
            return Array(#"{"data":[\#(all)]}"#.utf8)
        }
        let bound = InputLine.maximumPieces
        let atBound = try InputLine.submissions(body(groups: bound / 10, items: 10), input: "i:1")
        #expect(atBound.count == bound)
        for past in [
            body(groups: 1, items: bound + 1), body(groups: bound + 1, items: 1),
            body(groups: 3, items: bound / 2), body(groups: 7, items: bound),
        ] {
            let error = #expect(throws: IngestError.self) {
                try InputLine.submissions(past, input: "i:1")
            }
            #expect(error?.code == "payloadTooLarge")
        }
    }
}
