import AppStore
import Foundation
import Simulator
import Testing

@testable import Signing

@Suite("Trusted roots")
struct TrustedRootsTests {
    private func pem(_ der: [UInt8]) -> [UInt8] {
        let text = Data(der).base64EncodedString(options: .lineLength64Characters)
        return Array("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
    }

    private func code(_ bytes: [UInt8]) -> TrustedRootError.Code? {
        do throws(TrustedRootError) {
            _ = try TrustedRoots.apple.adding(bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Apple's root is the only default")
    func apple() {
        #expect(TrustedRoots.apple.fingerprints == [TrustedRoots.appleRootG3])
        #expect(TrustedRoots.isApple(TrustedRoots.appleRootG3))
        #expect(
            TrustedRoots.appleRootG3.hexadecimal
                == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
    }

    @Test("DER, PEM and several in one PEM are accepted")
    func forms() throws {
        let one = Trial.authority.rootDER
        let other = try Authority().rootDER
        let fromDER = try TrustedRoots.apple.adding(one)
        let comment = Array("a comment before it\n".utf8)
        #expect(try TrustedRoots.apple.adding(pem(one)) == fromDER)
        #expect(try TrustedRoots.apple.adding(comment + pem(one)) == fromDER)
        let both = try TrustedRoots.apple.adding(pem(one) + pem(other))
        #expect(both.fingerprints.count == 3)
        #expect(both.contains(SHA256.hash(other)))
        #expect(!TrustedRoots.isApple(SHA256.hash(other)))
        #expect(both.fingerprints == fromDER.fingerprints.union([SHA256.hash(other)]))
    }

    @Test("Garbage, leaves and intermediates are rejected")
    func refused() throws {
        let authority = Trial.authority
        #expect(code([]) == .notACertificate)
        #expect(code([0x30]) == .notACertificate)
        #expect(code(Array("garbage".utf8)) == .notACertificate)
        #expect(code(authority.rootDER + [0]) == .notACertificate)
        #expect(code(Array(authority.rootDER.dropLast())) == .notACertificate)
        #expect(code(authority.leafDER) == .notARoot)
        #expect(code(authority.intermediateDER) == .notARoot)
        #expect(code(pem(authority.leafDER)) == .notARoot)
        #expect(code(pem(authority.rootDER) + pem(authority.leafDER)) == .notARoot)
        #expect(code([UInt8](repeating: 0x30, count: 8193)) == .tooLarge)
        #expect(code([UInt8](repeating: 0x30, count: 8192)) == .notACertificate)
    }
}
