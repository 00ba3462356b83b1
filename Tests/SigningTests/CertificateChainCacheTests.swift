import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("Cache of verified chains")
struct CertificateChainCacheTests {
    private func verifier(_ authority: Authority) throws -> JWSVerifier {
        JWSVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
    }

    @Test("It holds 64 chains; the 65th evicts the least recently used")
    func eviction() throws {
        let cache = CertificateChainCache()
        let capacity = RecentlyUsed<Digest, VerifiedCertificateChain>.capacity
        let authority = Trial.authority
        let chain = try #require(
            try verifier(authority).verify(try authority.sign(Trial.transaction())).chain)
        func header(_ number: Int) -> [UInt8] { Array("header \(number)".utf8) }
        func key(_ number: Int) -> Digest { SHA256.hash(header(number)) }
        func isKnown(_ number: Int) -> Bool {
            header(number).withUnsafeBufferPointer { cache.known(header: $0) } != nil
        }
        func insert(_ number: Int) {
            header(number).withUnsafeBufferPointer { cache.insert(chain, header: $0) }
            cache.chains.insert(chain, key: key(number))
        }
        for number in 0..<capacity { insert(number) }
        #expect(cache.headers.count == capacity)
        #expect(cache.chains.count == capacity)
        // The first is used again, so the second is the least recently used.
        #expect(isKnown(0))
        #expect(cache.chains.value(key(0)) != nil)
        insert(capacity)
        #expect(cache.headers.count == capacity)
        #expect(cache.chains.count == capacity)
        #expect(isKnown(0) && isKnown(2) && isKnown(capacity))
        #expect(!isKnown(1))
        #expect(cache.chains.value(key(1)) == nil)
        insert(capacity)
        #expect(isKnown(2))
    }

    @Test("A chain is cached once for all spellings of its header")
    func spellings() throws {
        let authority = Trial.authority
        let verifier = try verifier(authority)
        let plain = Authority.header(
            algorithm: "ES256",
            certificates: [authority.leafDER, authority.intermediateDER, authority.rootDER])
        for spaces in 0..<3 {
            let header = plain + [UInt8](repeating: 0x20, count: spaces)
            _ = try verifier.verify(try authority.sign(Trial.transaction(), header: header))
            _ = try verifier.verify(try authority.sign(Trial.renewal(), header: header))
        }
        #expect(verifier.cachedCounts == (headers: 3, chains: 1))
    }

    @Test("Failures add nothing: a chain is known once a signature under it was verified")
    func failures() throws {
        let authority = Trial.authority
        let verifier = try verifier(authority)
        var shape = AuthorityShape()
        shape.hasLeafMarker = false
        let foreign = try Authority(shape: shape)
        let foreignJWS = try foreign.sign(Trial.transaction())
        #expect(Trial.code { _ = try verifier.verify(foreignJWS) } == .untrustedRoot)
        let jws = try authority.sign(Trial.transaction())
        let forged = try Trial.forged(jws)
        #expect(Trial.code { _ = try verifier.verify(forged) } == .signatureMismatch)
        // The certificates were valid, but no signature under them.
        #expect(verifier.cachedCounts == (headers: 0, chains: 0))
        _ = try verifier.verify(jws)
        #expect(verifier.cachedCounts == (headers: 1, chains: 1))
    }

    @Test("A chain of another verifier's root is not accepted")
    func roots() throws {
        let authority = Trial.authority
        let jws = try authority.sign(Trial.transaction())
        let trusting = try verifier(authority)
        _ = try trusting.verify(jws)
        #expect(Trial.code { _ = try JWSVerifier().verify(jws) } == .untrustedRoot)
    }

    @Test("A date outside the window is rejected with a cached chain, too")
    func dates() throws {
        let authority = Trial.authority
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let good = try authority.sign(Trial.transaction())
        let late = try authority.sign(Trial.transaction(signedDate: 3_000_000_000_000))
        _ = try verifier.verifyAny(good, receivedAt: Trial.now)
        #expect(
            Trial.code { _ = try verifier.verifyAny(late, receivedAt: Trial.now) }
                == .certificateNotValidAtSigning)
        _ = try verifier.verifyAny(good, receivedAt: Trial.now)
    }

    @Test("Many tasks at once agree, with good and bad evidence mixed")
    func concurrency() async throws {
        let authorities = try (0..<6).map { _ in try Authority() }
        var roots = TrustedRoots.apple
        // The last one stays untrusted.
        for authority in authorities.dropLast() { roots = try roots.adding(authority.rootDER) }
        let verifier = JWSVerifier(roots: roots)
        let signed = try authorities.map { try $0.sign(Trial.transaction()) }
        let spoiled = try signed.map(Trial.forged)
        let agreed = await withTaskGroup(of: Bool.self) { group in
            for task in 0..<64 {
                group.addTask {
                    let index = task % signed.count
                    return (0..<6).allSatisfy { _ in
                        let isForeign = index == signed.count - 1
                        let good = Trial.code { _ = try verifier.verify(signed[index]) }
                        let bad = Trial.code { _ = try verifier.verify(spoiled[index]) }
                        return good == (isForeign ? .untrustedRoot : nil)
                            && bad == (isForeign ? .untrustedRoot : .signatureMismatch)
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(agreed)
        #expect(verifier.cachedCounts == (headers: 5, chains: 5))
    }
}
