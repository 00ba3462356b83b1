import AppStore
import Ledger
import TestSupport
import Testing

/// Compares the reducer with the plain implementation.
@Suite("The reducer agrees with the plain implementation")
struct PlainReadingTests {
    /// Facts the plain implementation supports: auto-renewable transactions that can be folded.
    private func foldable(_ facts: [Fact]) -> [Fact] {
        facts.filter { fact in
            guard fact.flaw == nil else { return false }
            guard let transaction = fact.transaction else { return true }
            return transaction.type?.value == .autoRenewableSubscription
                && transaction.expiresDate != nil
        }
    }

    /// Returns the states that were compared; of decisions that a later period overtook, none may
    /// apply to it.
    @discardableResult
    private func expectAgreement(
        _ facts: [Fact], _ environment: Environment, _ name: String
    ) -> Set<ChainState> {
        let life = Lifecycle(facts, environment: environment, catalogue: Catalogue())
        let reading = PlainReading(facts, environment: environment)
        for moment in Picture.moments(facts, life) {
            let (answer, read) = (life.answer(moment), reading.state(moment))
            #expect(answer?.state == read, "\(name), \(moment.testDescription)")
            guard let answer, reading.isOvertaken(moment) else { continue }
            let isApplied =
                answer.willRenew == false || answer.nextProductId != nil
                || answer.priceIncrease != nil
            #expect(!isApplied, "\(name), \(moment.testDescription)")
        }
        return Set(life.intervals.map(\.state))
    }

    @Test(
        "Short lives", arguments: Story.all.filter { $0.testDescription != "one purchase for ever" }
    )
    func stories(_ story: Story) {
        expectAgreement(foldable(story.facts), story.environment, story.testDescription)
    }

    @Test("Random lives", arguments: [Environment.production, .sandbox])
    func random(_ environment: Environment) {
        var seen: Set<ChainState> = []
        for seed in 1001...1000 + UInt64(Soak.count(150, soak: 300)) {
            let facts = foldable(RandomLife.facts(seed: seed, count: 2 + Int(seed % 40)))
            seen.formUnion(expectAgreement(facts, environment, "seed \(seed)"))
        }
        #expect(seen == [.subscribed, .renewing, .grace, .billingRetry, .expired, .revoked])
    }
}
