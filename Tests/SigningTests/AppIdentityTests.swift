import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("App and environment")
struct AppIdentityTests {
    private let authority: Authority
    private let verifier: EvidenceVerifier

    init() throws {
        authority = Trial.authority
        verifier = EvidenceVerifier(
            roots: try TrustedRoots.apple.adding(authority.rootDER),
            allowedLocalEnvironments: [.xcode])
    }

    private func code(_ payload: String, _ identity: AppIdentity) throws -> VerificationCode? {
        let jws = try authority.sign(Trial.json(payload))
        let evidence = try verifier.verifyAny(jws, receivedAt: Trial.now)
        return Trial.code {
            switch evidence {
            case .notification(let verified): try identity.require(verified)
            case .transaction(let verified): try identity.require(verified)
            case .appTransaction(let verified): try identity.require(verified)
            }
        }
    }

    private func identity(
        _ environment: Environment = .production, appAppleId: Int64? = 7
    ) -> AppIdentity {
        AppIdentity(
            bundleId: BundleId("com.a"), appAppleId: appAppleId, environment: environment)
    }

    @Test("Only printable names are shown, and the first few of many")
    func names() {
        #expect("com.example.app".named == "com.example.app")
        let longest = String(repeating: "a", count: String.namedByteCount)
        #expect(longest.named == longest)
        #expect((longest + "a").named == "a name that is too long")
        for name in [longest + "é", "a b", "a\nb", "\u{202e}a", "é"] {
            #expect(name.named == "an unprintable name")
        }
        #expect("".named == "no name")
        let apps = (1...7).map { BundleId("app\($0)") }
        #expect(Array(apps.prefix(5)).named == "app1, app2, app3, app4, app5")
        #expect(apps.named == "app1, app2, app3, app4, app5 or 2 more")
    }

    @Test(
        "Bundle id and environment of a transaction must match",
        arguments: [
            (#"{"transactionId":"1","bundleId":"com.a","environment":"Production"}"#, nil),
            (#"{"transactionId":"1","bundleId":"com.a"}"#, nil),
            (#"{"transactionId":"1","bundleId":"com.A","environment":"Production"}"#, .wrongApp),
            (#"{"transactionId":"1","bundleId":"com.b","environment":"Sandbox"}"#, .wrongApp),
            (#"{"transactionId":"1","environment":"Production"}"#, .wrongApp),
            (
                #"{"transactionId":"1","bundleId":"com.a","environment":"Sandbox"}"#,
                .wrongEnvironment
            ),
            (
                #"{"transactionId":"1","bundleId":"com.a","environment":"Future"}"#,
                .wrongEnvironment
            ),
            (
                #"{"transactionId":"1","bundleId":"com.a","environment":"Xcode"}"#,
                .wrongEnvironment
            ),
        ] as [(String, VerificationCode?)])
    func transactions(payload: String, expected: VerificationCode?) throws {
        #expect(try code(payload, identity()) == expected)
    }

    @Test("appAppleId is compared in Production only, where both sides have one")
    func appAppleId() throws {
        func payload(_ environment: String, _ id: String) -> String {
            """
            {"notificationType":"TEST","data":{"bundleId":"com.a",\
            "environment":"\(environment)"\(id)}}
            """
        }
        let other = #","appAppleId":8"#
        #expect(try code(payload("Production", #","appAppleId":7"#), identity()) == nil)
        #expect(try code(payload("Production", ""), identity()) == nil)
        #expect(try code(payload("Production", other), identity()) == .wrongApp)
        #expect(try code(payload("Production", other), identity(appAppleId: nil)) == nil)
        #expect(try code(payload("Sandbox", other), identity(.sandbox)) == nil)
        #expect(try code(payload("Sandbox", other), identity()) == .wrongEnvironment)
    }

    @Test("An app transaction's environment is its receiptType")
    func appTransactions() throws {
        let payload = #"{"receiptType":"Sandbox","bundleId":"com.a"}"#
        #expect(try code(payload, identity(.sandbox)) == nil)
        #expect(try code(payload, identity()) == .wrongEnvironment)
    }

    @Test("A notification that names no environment has that of its parts, which must all match")
    func parts() throws {
        func verified(renewal: String) throws -> VerifiedNotification {
            let payload = Trial.notification(
                transaction: try authority.sign(Trial.transaction(bundleId: "com.a")),
                renewal: try authority.sign(Trial.renewal(environment: renewal)),
                environment: nil, bundleId: "com.a")
            return try verifier.verifyNotification(
                try authority.sign(payload), receivedAt: Trial.now)
        }
        let sandbox = try verified(renewal: "Sandbox")
        #expect(sandbox.environment == Raw(.sandbox))
        #expect(Trial.code { try identity(.sandbox).require(sandbox) } == nil)
        #expect(Trial.code { try identity().require(sandbox) } == .wrongEnvironment)
        let mixed = try verified(renewal: "Production")
        #expect(Trial.code { try identity(.sandbox).require(mixed) } == .wrongEnvironment)
        #expect(Trial.code { try identity().require(mixed) } == .wrongEnvironment)
    }

    @Test("A pair's renewal info must match the environment, too")
    func pairs() throws {
        let verified = try verifier.verifyPair(
            transaction: try authority.sign(
                Trial.json(
                    #"{"transactionId":"1","bundleId":"com.a","signedDate":1722945600000}"#)),
            renewal: try authority.sign(Trial.renewal(original: "1")), receivedAt: Trial.now)
        #expect(Trial.code { try identity(.sandbox).require(verified) } == nil)
        #expect(Trial.code { try identity().require(verified) } == .wrongEnvironment)
    }
}
