import AppStore
import Signing
import Simulator
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

    @Test("A known chain is exempt, an unknown one beyond the budget is retryable")
    func knownChain() throws {
        let known = try Authority()
        let stranger = try Authority()
        let start = ContinuousClock.now
        // Not refilled during the test: its clock is far in the future.
        let budget = CertificateChainBudget(now: start.advanced(by: .seconds(86_400)))
        let roots = try TrustedRoots.apple.adding(known.rootDER).adding(stranger.rootDER)
        let verifier = EvidenceVerifier(roots: roots, chainBudget: budget)
        let payload = Array(#"{"transactionId":"1","signedDate":1768046400000}"#.utf8)
        let now = Timestamp(milliseconds: 1_768_046_400_000)
        _ = try verifier.verifyAny(try known.sign(payload), receivedAt: now)
        while budget.take(now: start) {}
        _ = try verifier.verifyAny(try known.sign(payload), receivedAt: now)
        #expect {
            try verifier.verifyAny(try stranger.sign(payload), receivedAt: now)
        } throws: { error in
            let error = error as? VerificationError
            return error?.code == .tooManyUnknownChains && error?.isRetryable == true
        }
    }
}
