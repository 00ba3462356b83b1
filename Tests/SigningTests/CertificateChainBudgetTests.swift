import Signing
import Testing

@Suite("Budget of unknown chains")
struct CertificateChainBudgetTests {
    @Test("A burst is allowed, one more is not, and time refills the budget")
    func burst() {
        let start = ContinuousClock.now
        let budget = CertificateChainBudget(now: start)
        for _ in 0..<Int(CertificateChainBudget.burst) { #expect(budget.take(now: start)) }
        #expect(!budget.take(now: start))
        let later = start.advanced(by: .seconds(1))
        for _ in 0..<Int(CertificateChainBudget.perSecond) { #expect(budget.take(now: later)) }
        #expect(!budget.take(now: later))
    }
}
