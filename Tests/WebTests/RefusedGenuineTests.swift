import AppStore
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Signing
import Simulator
import TestSupport
import Testing

@testable import Web

@Suite("Copies of refused notifications that Apple may have sent")
struct RefusedGenuineTests {
    // MARK: Environment

    private static func items(
        _ host: LedgerHost, _ environment: AppStore.Environment
    ) async throws -> [QuarantineItem] {
        try await Quarantine(ledger: host.ledger(environment).ledger).items()
    }

    @Test("Version 1 of the Sandbox without or with another secret: a later retry accepts it")
    func versionOneOfSandbox() async throws {
        let chain = MadeChain()
        let body = String(
            decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            as: UTF8.self
        ).replacing("\"PROD\"", with: "\"Sandbox\"")
        var place = try ServedPlace()
        let steps: [(secret: String?, status: Int, code: String)] = [
            (nil, 503, "sharedSecretMissing"),
            ("fedcba9876543210fedcba9876543210", 400, "wrongSharedSecret"),
        ]
        for step in steps {
            if let secret = step.secret { try share(secret, in: &place) }
            try await place.serve { (client: WebClient, host: LedgerHost) async throws in
                let answer = try await client.notify(Array(body.utf8))
                #expect(answer.status == step.status && answer.code == step.code)
                #expect(try await Self.items(host, .production).isEmpty)
                #expect(try await Self.items(host, .sandbox).map(\.code) == [step.code])
            }
        }
        try share(MadeChain.secret, in: &place)
        let apps = place.configuration.apps
        try await place.serve { (_: WebClient, host: LedgerHost) async throws in
            let summary = try await Quarantine(ledger: host.ledger(.sandbox).ledger).retry(
                apps: apps, verifier: EvidenceVerifier(roots: TestAuthority.roots))
            #expect(summary.appended == 1)
            #expect(try await Self.items(host, .sandbox).isEmpty)
        }
    }

    @Test("Version 1 of an app that is left out is verified by its secret, and of a wrong app")
    func leftOut() async throws {
        // given
        let chain = MadeChain()
        let body = chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0))
        var place = try ServedPlace()
        try share(MadeChain.secret, in: &place)
        place.configuration.ledger.limit(to: BundleId("com.example.other"))
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            // when
            let answer = try await client.notify(body)
            // then
            #expect(answer.status == 503 && answer.code == "wrongApp")
            let items = try await Self.items(host, .production)
            #expect(items.map(\.standing) == [.genuineForeign])
        }
    }

    private func share(_ secret: String, in place: inout ServedPlace) throws {
        place.configuration.apps[0].sharedSecretFile = try place.directory.write(
            Array("\(secret)\n".utf8), to: "shared-secret")
    }

    @Test("A notification that this version cannot decode is kept for the environment it names")
    func undecodable() async throws {
        let parts = [
            (#""data":{"bundleId":"com.example.app","environment":"Sandbox"}"#, true),
            (#""data":{"bundleId":"com.example.app","environment":"Production"}"#, false),
            (#""data":{"bundleId":"com.example.app","environment":"Xcode"}"#, false),
            (
                #""externalPurchaseToken":{"bundleId":"com.example.app","#
                    + #""externalPurchaseId":"SANDBOX_1"}"#, true
            ),
        ]
        #expect(try DashboardTests.genuineResults().contains("undecodablePayload"))
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            var counts = [true: 0, false: 0]
            for (part, isSandbox) in parts {
                let payload =
                    #"{"notificationType":"SUBSCRIBED","notificationUUID":"u","#
                    + #""signedDate":"soon",\#(part)}"#
                let answer = try await client.notify(
                    MadePurchase.body(try TestAuthority.signer.sign(Array(payload.utf8))))
                #expect(answer.status == 503 && answer.code == "undecodablePayload", "\(part)")
                counts[isSandbox, default: 0] += 1
                for (environment, count) in [
                    (Environment.sandbox, counts[true]), (.production, counts[false]),
                ] {
                    let kept = try await Self.items(host, environment)
                    #expect(kept.count == count, "\(part)")
                    #expect(kept.allSatisfy { $0.standing == .genuineConfigured }, "\(part)")
                }
            }
        }
    }

    // MARK: Parts

    enum Disagreement: CaseIterable {
        case environment
        case app
        case chain
        case empty
    }

    private static func disagreeing(_ disagreement: Disagreement) throws -> [UInt8] {
        let purchase = MadePurchase()
        if disagreement == .empty {
            let payload =
                #"{"notificationType":"SUBSCRIBED","notificationUUID":"u","#
                + #""signedDate":1768046403000,"data":{"bundleId":"com.example.app","#
                + #""environment":"Production","signedTransactionInfo":""}}"#
            return MadePurchase.body(try TestAuthority.signer.sign(Array(payload.utf8)))
        }
        guard
            case .notification(let payload, var transaction?, var renewal?) =
                purchase.notification(0).evidence
        else { return [] }
        switch disagreement {
        case .environment: renewal.environment = Raw(.sandbox)
        case .app: transaction.bundleId = BundleId("com.example.other")
        case .chain: renewal.originalTransactionId = OriginalTransactionId("7")
        case .empty: break
        }
        let delivery = MadeDelivery(
            receivedAt: purchase.start, evidence: .notification(payload, transaction, renewal))
        return MadePurchase.body(try delivery.token())
    }

    @Test("Signed by Apple, with a part that is invalid or belongs elsewhere: 503, kept as genuine")
    func parts() async throws {
        #expect(try DashboardTests.genuineResults().contains("nestedPartInvalid"))
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (index, disagreement) in Disagreement.allCases.enumerated() {
                let answer = try await client.notify(Self.disagreeing(disagreement))
                #expect(
                    answer.status == 503 && answer.code == "nestedPartInvalid", "\(disagreement)")
                let items = try await Self.items(host, .production)
                #expect(items.count == index + 1, "\(disagreement)")
                #expect(items.allSatisfy { $0.standing == .genuineConfigured }, "\(disagreement)")
                #expect(items.allSatisfy { $0.bundleId == BundleId(MadePurchase.app) })
            }
            #expect(try await host.end() == 0)
        }
    }
}
