import AppStore
import Testing

@testable import Signing

/// Scratch memory is lent from one verification to the next; nothing of one shows in another.
@Suite("Scratch memory of verifications")
struct ArithmeticScratchTests {
    @Test("Forged and genuine signatures in turn are told apart, each time, on the same memory")
    func inTurn() throws {
        let key = try PrivateKey(generating: .p256)
        let point = try #require(PreparedPoint(publicKeyInfo: key.publicKeyInfo))
        let (zero, ones) = ([UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64))
        for number in 0..<50 {
            let message = Array("\(number)".utf8)
            let genuine = try key.signES256(message)
            var forged = genuine
            forged[number % 64] ^= 1
            let digest = SHA256.hash(message)
            for raw in [forged, zero, ones] {
                let signature = try #require(ES256Signature(raw: raw))
                #expect(!point.isValid(signature, over: digest))
            }
            #expect(point.inverses(of: [zero, genuine]) == nil)
            let signature = try #require(ES256Signature(raw: genuine))
            #expect(point.isValid(signature, over: digest))
        }
    }

    @Test("Many at once, each with memory of its own")
    func together() async throws {
        let key = try PrivateKey(generating: .p256)
        let point = try #require(PreparedPoint(publicKeyInfo: key.publicKeyInfo))
        let raw = try key.signES256([1])
        let signature = try #require(ES256Signature(raw: raw))
        let held = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                let digest = SHA256.hash([number.isMultiple(of: 2) ? 1 : 2])
                group.addTask {
                    point.isValid(signature, over: digest) == number.isMultiple(of: 2)
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(held == 200)
    }

    @Test("What is given back is kept up to the bound; a loan within a loan is another one")
    func kept() throws {
        let key = try PrivateKey(generating: .p256)
        let point = try #require(PreparedPoint(publicKeyInfo: key.publicKeyInfo))
        func nest(_ depth: Int) -> Int? {
            point.compute { _ in depth == 0 ? 0 : nest(depth - 1).map { $0 + 1 } }
        }
        #expect(nest(ArithmeticScratches.keptCount + 1) == ArithmeticScratches.keptCount + 1)
        #expect(point.readyScratchCount == ArithmeticScratches.keptCount)
        #expect(nest(0) == 0)
        #expect(point.readyScratchCount == ArithmeticScratches.keptCount)
    }
}
