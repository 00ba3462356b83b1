import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import Queries

extension StoryCheck {
    /// Compares a customer's entitlements with a list of moments, each with any of `standing`,
    /// `active` (names of entitlements) and `verdicts` (members by the entitlement's name).
    func customer(
        _ id: String, _ expected: JSONValue, _ session: LedgerSession
    ) async throws(StoreError) -> [String] {
        try await StoryCheck.compare(expected.array ?? []) { at throws(StoreError) in
            StoryCheck.object(
                try await session.snapshot.entitlements(
                    of: CustomerId(stated: id), moment: Moment(at: at, now: StoryCheck.end)))
        }
    }

    private static func object(_ answer: EntitlementsAnswer) -> JSONValue {
        let verdicts = answer.entitlements.verdicts.map { verdict in
            let json = JSONWriter.object { verdict.writeMembers(to: &$0) }
            return JSONMember(
                key: verdict.entitlement, value: (try? JSONValue.parse(json)) ?? .null)
        }
        let active = answer.entitlements.verdicts.filter(\.active).map(\.entitlement)
        return .object([
            JSONMember(key: "standing", value: .string(answer.entitlements.standing.rawValue)),
            JSONMember(key: "active", value: .array(active.map { .string($0) })),
            JSONMember(key: "verdicts", value: .object(verdicts)),
        ])
    }
}
