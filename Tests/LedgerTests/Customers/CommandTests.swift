import AppStore
import Ledger
import Testing

@Suite("Commands as evidence")
struct CommandTests {
    static let commands: [Command] = [
        .link(CustomerId("ann")), .unlink(CustomerId("ann")),
        .claim(CustomerId("ann"), policy: .share),
        .grant(CustomerId("ann"), entitlement: "pro", until: day(3)),
        .ungrant(CustomerId("ann"), grant: "g"), .note(nil), .note(CustomerId("ann")),
    ].map { Command(id: "k\"é", actor: "sara", reason: "why\\", action: $0) }

    @Test("Evidence parses back", arguments: commands)
    func roundTrip(_ command: Command) throws {
        let chain = ChainId(
            bundleId: BundleId("app"), originalTransactionId: OriginalTransactionId("1"))
        let value = try JSONValue.parse(command.evidence(about: chain))
        #expect(Command(evidence: value) == command)
        #expect(value["originalTransactionId"]?.string == "1")
    }

    @Test("Missing or unknown members are rejected", arguments: commands)
    func incomplete(_ command: Command) throws {
        let value = try JSONValue.parse(command.evidence(about: nil))
        let members = try #require(value.object)
        let optional: Set<String> = command.name == .note ? ["customer"] : []
        for member in members where !optional.contains(member.key) {
            let rest = members.filter { $0.key != member.key }
            #expect(Command(evidence: .object(rest)) == nil, "\(member.key)")
        }
        let other = members.map {
            $0.key == "command" ? JSONMember(key: $0.key, value: .string("delete")) : $0
        }
        #expect(Command(evidence: .object(other)) == nil)
    }

    @Test(
        "A UUID is lowercased, anything else is unchanged",
        arguments: [
            ("F3A86F0D-52BE-4C53-8F0E-7D9B1C44D033", "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"),
            ("F3A86F0D-52BE-4C53-8F0E-7D9B1C44D03", "F3A86F0D-52BE-4C53-8F0E-7D9B1C44D03"),
            ("F3A86F0D+52BE-4C53-8F0E-7D9B1C44D033", "F3A86F0D+52BE-4C53-8F0E-7D9B1C44D033"),
            ("G3A86F0D-52BE-4C53-8F0E-7D9B1C44D033", "G3A86F0D-52BE-4C53-8F0E-7D9B1C44D033"),
            ("User-42", "User-42"), ("", ""),
        ])
    func customer(_ stated: String, _ expected: String) {
        #expect(CustomerId(stated: stated).rawValue == expected)
    }

    @Test("A customer's own facts have a key apart from every chain")
    func ownPlace() {
        #expect(ChainId(customer: CustomerId("ann")).customer == CustomerId("ann"))
        let chain = ChainId(
            bundleId: BundleId("app"), originalTransactionId: OriginalTransactionId("ann"))
        #expect(chain.customer == nil)
    }
}
