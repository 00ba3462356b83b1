import AppStore
import Ledger
import TestSupport
import Testing

/// `Lifecycle.md` §6: the holders of a chain over time.
@Suite("Holders of a chain")
struct HoldersTests {
    private let bought = Fact.subscribed("1", day(0), day(30))
    private let renewed = Fact.didRenew("2", day(30), day(60))

    // MARK: Tokens

    @Test("The token's customer holds it, in lower case, from the first period that has it")
    func token() {
        let life = given(bought, renewed.token("F3A86F0D-52BE-4C53-8F0E-7D9B1C44D033"))
        #expect(life.holders(day(29)).isEmpty)
        #expect(life.holders(day(30)) == ["f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"])
    }

    @Test("Another token takes over where its period begins, and a period without one keeps it")
    func anotherToken() {
        let life = given(
            bought.token("a"), renewed, .didRenew("3", day(60), day(90)).token("b"))
        #expect(life.holders(day(59)) == ["a"])
        #expect(life.holders(day(60)) == ["b"])
        #expect(life.notices(.tokenChanged).count == 1)
    }

    @Test("The token of a renewal info names its customer, who holds nothing by it")
    func renewalToken() {
        let changed = Fact.autoRenew(true, at: day(5)).renewal { $0.appAccountToken = "B" }
        let life = given(bought.token("a").renewal { $0.appAccountToken = "a" }, changed)
        #expect(life.holders.named.map(\.rawValue) == ["a", "b"])
        #expect(life.holders(day(40)) == ["a"])
        #expect(life.notices(.tokenChanged).isEmpty)
        #expect(given(bought, changed).holders(day(40)).isEmpty)
    }

    // MARK: Links

    @Test("Links received at one moment take effect in the order of the log")
    func ties() {
        let life = given(
            bought, .link("ann", at: day(5), id: "x"), .link("bob", at: day(5), id: "y"))
        // The first holds from the start until the second takes effect.
        #expect(life.holders(day(5, -1)) == ["ann"])
        #expect(life.holders(day(5)) == ["bob"])
    }

    @Test("Unlinking a customer without a link changes nothing and is not in the timeline")
    func unlinkNobody() {
        let life = given(bought.token("a"), .unlink("a", at: day(5)), .link("b", at: day(9)))
        // The link still counts as the first.
        #expect(life.holders(day(0)) == ["b"])
        #expect(life.timelineEvents(.accountUnlinked).isEmpty)
        #expect(life.timelineEvents(.accountLinked).map(\.at) == [day(9)])
    }

    @Test("Of two commands with one id the first in the log counts; the other's customer is named")
    func repeatedId() {
        let life = given(
            bought, .link("ann", at: day(5), id: "k"), .link("bob", at: day(9), id: "k"))
        #expect(life.holders(day(20)) == ["ann"])
        #expect(life.holders.named.map(\.rawValue) == ["ann", "bob"])
    }

    @Test("A token that disagrees with the link raises tokenChanged while the link holds")
    func disagreement() throws {
        let life = given(
            bought.token("a"), .link("ann", at: day(5)), .unlink("ann", at: day(20)))
        let notice = try #require(life.notices(.tokenChanged).first)
        #expect(notice.to == day(20))
        #expect(notice.evidence == [1, 2])
        #expect(given(bought.token("a"), .link("a", at: day(5))).notices(.tokenChanged).isEmpty)
    }

    @Test("Commands change no state and are in the timeline with their position")
    func timeline() {
        let life = given(bought, .link("ann", at: day(5)), .command(.note(nil), at: day(6)))
        expectHistory(life, given(bought).history)
        #expect(life.timelineEvents(.noted).map(\.cause) == [3])
        #expect(life.timeline.map(\.at) == life.timeline.map(\.at).sorted())
        #expect(life.timeline.map(\.cause).contains(2))
    }

    // MARK: Claims

    struct Claim: Sendable, CustomTestStringConvertible {
        let policy: ClaimPolicy
        let before: [Fact]
        let outcome: Holders.ClaimOutcome
        let after: [String]
        let testDescription: String
    }

    static let claims: [Claim] = [
        Claim(
            policy: .keep, before: [], outcome: .moved, after: ["eve"],
            testDescription: "keep, no holder"),
        Claim(
            policy: .keep, before: [.claim("ann", at: day(5))], outcome: .refused,
            after: ["ann"], testDescription: "keep, claimed"),
        Claim(
            policy: .share, before: [.claim("ann", at: day(5))], outcome: .added,
            after: ["ann", "eve"], testDescription: "share, claimed"),
        Claim(
            policy: .share, before: [.link("ann", at: day(5))], outcome: .added,
            after: ["ann", "eve"], testDescription: "share, linked"),
        Claim(
            policy: .transfer, before: [], outcome: .moved, after: ["eve"],
            testDescription: "transfer, no holder"),
        Claim(
            policy: .transfer, before: [.claim("ann", at: day(5))], outcome: .moved,
            after: ["eve"], testDescription: "transfer, claimed"),
        Claim(
            policy: .transfer, before: [.link("ann", at: day(5))], outcome: .refused,
            after: ["ann"], testDescription: "transfer, linked by an operator"),
        Claim(
            policy: .transfer, before: [.claim("eve", at: day(5))], outcome: .held,
            after: ["eve"], testDescription: "transfer, already the holder"),
        Claim(
            policy: .transfer,
            before: [.link("ann", at: day(5)), .unlink("ann", at: day(6))],
            outcome: .moved, after: ["eve"], testDescription: "transfer, unlinked"),
    ]

    @Test("A claim follows the policy", arguments: claims)
    func claim(_ claim: Claim) {
        let before = given([bought] + claim.before)
        let eve = CustomerId("eve")
        #expect(
            before.holders.outcome(of: eve, policy: claim.policy, at: day(9)) == claim.outcome)
        let after = given([bought] + claim.before + [.claim("eve", claim.policy, at: day(9))])
        #expect(after.holders(day(9)) == claim.after)
    }

    @Test(
        "A claim with a copied transaction cannot take it from the token's holder",
        arguments: ClaimPolicy.allCases)
    func copied(_ policy: ClaimPolicy) {
        let life = given(bought.token("a"), .claim("eve", policy, at: day(9)))
        #expect(life.holders(day(9)).contains("a"))
        #expect(life.holders(day(9)).contains("eve") == (policy == .share))
    }

    @Test("A token learnt later refuses the claim it would have refused, in any order")
    func lateToken() {
        let facts: [Fact] = [bought, .claim("eve", at: day(9)), renewed.token("a")]
        // The token's period began after the claim: the link came first and holds.
        #expect(given(facts).holders(day(40)) == ["eve"])
        let earlier: [Fact] = [bought.token("a"), .claim("eve", at: day(9)), renewed]
        #expect(given(earlier).holders(day(40)) == ["a"])
        #expect(given(earlier).timelineEvents(.accountLinked).isEmpty)
    }

    @Test(
        "A transfer is refused while the token names one of the holders")
    func sharedThenTransfer() {
        let life = given(
            bought.token("a"), .claim("eve", .share, at: day(5)), .claim("mal", at: day(9)))
        #expect(life.holders(day(9)) == ["a", "eve"])
    }

    @Test("The token's customer, beside whom a claim was added, is not unlinked")
    func tokenBesideClaim() {
        let life = given(
            bought.token("a"), .claim("eve", .share, at: day(5)), .unlink("a", at: day(9)))
        #expect(life.holders(day(9)) == ["a", "eve"])
        #expect(life.timelineEvents(.accountUnlinked).isEmpty)
    }

    @Test("The order of arrival does not matter", arguments: 1...30 as ClosedRange<UInt64>)
    func anyOrder(_ seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let facts = numbered(RandomCommands.facts(&numbers))
        let reported = Lifecycle(facts, environment: .production, catalogue: Catalogue())
        for _ in 0..<6 {
            let other = Lifecycle(
                facts.shuffled(using: &numbers), environment: .production, catalogue: Catalogue())
            #expect(other.holders == reported.holders)
            #expect(other.timelineEvents == reported.timelineEvents)
            #expect(other.notices == reported.notices)
        }
    }
}
