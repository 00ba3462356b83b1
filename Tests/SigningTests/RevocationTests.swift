import AppStore
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

@testable import Signing

@Suite("Revocation")
struct RevocationTests {
    private let authority: Authority
    private let chain: VerifiedCertificateChain
    private let queries: [RevocationQuery]
    private let day: Int64 = 86_400_000

    init() throws {
        authority = Trial.authority
        let verifier = JWSVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        chain = try #require(try verifier.verify(try authority.sign(Trial.transaction())).chain)
        queries = RevocationCheck.queries(for: chain)
    }

    private var today: ClosedRange<Timestamp> {
        Trial.now.advanced(byMilliseconds: -day)...Trial.now.advanced(byMilliseconds: day)
    }

    private func status(
        _ said: RevocationStatus, responder: Authority.Responder = .issuer,
        about subject: Authority.Subject = .leaf, validity: ClosedRange<Timestamp>? = nil,
        isOpenEnded: Bool = false, asked: Int? = nil, answered: Int? = nil
    ) throws -> RevocationStatus {
        let place = subject == .leaf ? 0 : 1
        let answer = try authority.answer(
            queries[asked ?? place].request, about: subject, status: said,
            validity: validity ?? today, isOpenEnded: isOpenEnded, responder: responder)
        return RevocationCheck.status(
            of: queries[answered ?? place], answer: answer, now: Trial.now)
    }

    private func isUnknown(_ status: RevocationStatus) -> Bool {
        guard case .unknown = status else { return false }
        return true
    }

    @Test("Leaf and intermediate are checked at the addresses they name")
    func addresses() {
        #expect(queries.count == 2)
        #expect(queries[0].address == "http://ocsp.example.invalid/ocsp03-throwaway02")
        #expect(queries[1].address == "http://ocsp.example.invalid/ocsp03-throwawayroott3")
        #expect(queries[0].request != queries[1].request)
    }

    @Test(
        "The issuer and its delegate are accepted",
        arguments: [Authority.Responder.issuer, .delegate], Authority.Subject.allCases)
    func accepted(responder: Authority.Responder, subject: Authority.Subject) throws {
        #expect(try status(.good, responder: responder, about: subject) == .good)
        #expect(try status(.revoked, responder: responder, about: subject) == .revoked)
        #expect(isUnknown(try status(.unknown(""), responder: responder, about: subject)))
    }

    @Test(
        "Other responders are rejected, whatever their response",
        arguments: [Authority.Responder.undelegated, .expiredDelegate, .stranger],
        [RevocationStatus.good, .revoked])
    func strangers(responder: Authority.Responder, said: RevocationStatus) throws {
        #expect(isUnknown(try status(said, responder: responder)))
        #expect(isUnknown(try status(said, responder: responder, about: .intermediate)))
    }

    @Test("A response about another certificate is inconclusive")
    func otherCertificate() throws {
        #expect(isUnknown(try status(.good, about: .intermediate, asked: 1, answered: 0)))
        #expect(isUnknown(try status(.good, about: .leaf, asked: 1, answered: 1)))
        let other = try authority.rotatedLeaf()
        let verifier = JWSVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let rotated = try #require(
            try verifier.verify(try other.sign(Trial.transaction())).chain)
        let answer = try authority.answer(
            queries[0].request, about: .leaf, status: .good, validity: today)
        let query = RevocationCheck.queries(for: rotated)[0]
        #expect(
            isUnknown(RevocationCheck.status(of: query, answer: answer, now: Trial.now)))
    }

    @Test("A response is valid for its period and 60 s around it, and must state the end")
    func times() throws {
        let skew = RevocationCheck.clockSkewMilliseconds
        func range(_ from: Int64, _ until: Int64) -> ClosedRange<Timestamp> {
            Trial.now.advanced(byMilliseconds: from)...Trial.now.advanced(byMilliseconds: until)
        }
        #expect(try status(.good, validity: range(skew, day)) == .good)
        #expect(isUnknown(try status(.good, validity: range(skew + 1000, day))))
        #expect(try status(.good, validity: range(-day, -skew)) == .good)
        #expect(isUnknown(try status(.good, validity: range(-day, -skew - 1000))))
        #expect(isUnknown(try status(.good, isOpenEnded: true)))
    }

    @Test("Invalid, modified and oversized responses are inconclusive")
    func garbage() throws {
        let answer = try authority.answer(
            queries[0].request, about: .leaf, status: .good, validity: today)
        func isUnknown(_ bytes: [UInt8]) -> Bool {
            self.isUnknown(
                RevocationCheck.status(of: queries[0], answer: bytes, now: Trial.now))
        }
        #expect(isUnknown([]))
        #expect(isUnknown(Array("<html>".utf8)))
        #expect(isUnknown(answer + [0]))
        #expect(isUnknown(queries[0].request))
        let limit = RevocationCheck.maximumResponseByteCount
        #expect(isUnknown([UInt8](repeating: 0, count: limit)))
        #expect(isUnknown([UInt8](repeating: 0, count: limit + 1)))
        var accepted: [Int] = []
        for index in stride(from: 0, to: answer.count, by: Soak.isOn ? 1 : 3) {
            var changed = answer
            changed[index] ^= 1
            if !isUnknown(changed) { accepted.append(index) }
        }
        #expect(accepted == [])
    }

    private struct Network: RevocationTransport {
        struct Unreachable: Error {}
        let authority: Authority
        let leaf: RevocationStatus?
        let intermediate: RevocationStatus?
        let validity: ClosedRange<Timestamp>

        func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
            let isLeaf = address.hasSuffix("throwaway02")
            guard let status = isLeaf ? leaf : intermediate else { throw Unreachable() }
            return try authority.answer(
                request, about: isLeaf ? .leaf : .intermediate, status: status,
                validity: validity)
        }
    }

    @Test(
        "Revoked takes precedence over unknown, unknown is retryable, good passes",
        arguments: [RevocationStatus.good, .revoked, .unknown(""), nil],
        [RevocationStatus.good, .revoked, .unknown(""), nil])
    func check(leaf: RevocationStatus?, intermediate: RevocationStatus?) async {
        let network = Network(
            authority: authority, leaf: leaf, intermediate: intermediate, validity: today)
        let found = await RevocationCheck(transport: network)
            .status(of: chain, now: Trial.now).refusal
        if leaf == .revoked || intermediate == .revoked {
            #expect(found?.code == .certificateRevoked)
            #expect(found?.isRetryable == false)
        } else if leaf == .good, intermediate == .good {
            #expect(found == nil)
        } else {
            #expect(found?.code == .revocationUnknown)
            #expect(found?.isRetryable == true)
        }
    }
}
