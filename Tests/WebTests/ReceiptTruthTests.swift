import AppStore
import AppStoreAPI
import Foundation
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Signing
import Simulator
import TestSupport
import Testing

@testable import AppleSync
@testable import Service
@testable import Web

/// Customers with extensions, refunds, upgrades and more, whom the ledger learns about from `POST
/// /v1/receipts`, or from that and version 1.
@Suite("Receipts over HTTP against the truth")
struct ReceiptTruthTests {
    private static let reported = ReportedLives.shared
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func place() throws -> ServedPlace {
        var place = try ServedPlace()
        place.roots = MadeReceipt.roots
        let file = place.directory.file("shared-secret")
        try Data("\(Self.secret)\n".utf8).write(to: URL(filePath: file))
        place.configuration.apps[0].sharedSecretFile = file
        place.configuration.catalogue = .simulated
        return place
    }

    @Test("Every kind of customer occurs")
    func kinds() {
        for kind in ReportedLives.Kind.allCases {
            #expect((Self.reported.counts[kind] ?? 0) >= 2, "\(kind)")
        }
    }

    @Test("A receipt and one request to Apple give the whole life, extensions included")
    func asked() async throws {
        let place = try place()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            try use(host, place)
            for life in Self.reported.lives {
                let answer = try await post(life, client)
                #expect(answer.json["asked"]?["failure"]?.isNull == true)
                let shown = answer.json["subscriptions"]?.array?.first
                #expect(shown?["state"]?.string == truth(life, at: ServedPlace.now)?.state.rawValue)
            }
            for life in Self.reported.lives {
                try await expectTruth(of: life, client)
                try await expectRenewal(of: life, client)
            }
        }
    }

    @Test("After version 1 notifications the same request gives the same")
    func afterVersionOne() async throws {
        let place = try place()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            try await notify(client)
            try use(host, place)
            for life in Self.reported.lives {
                #expect(try await post(life, client).json["asked"]?["failure"]?.isNull == true)
            }
            for life in Self.reported.lives {
                try await expectTruth(of: life, client)
                try await expectRenewal(of: life, client)
            }
        }
    }

    @Test(
        "Version 1 and receipts without requests: all but an extension that no transaction states")
    func unrequested() async throws {
        let place = try place()
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            try await notify(client)
            for life in Self.reported.lives {
                #expect(try await post(life, client).json["asked"]?.isNull == true)
            }
            for life in Self.reported.lives
            where !Self.reported.extendedRenewals.contains(life.originalTransactionId) {
                // A receipt's dates are whole seconds.
                try await expectTruth(of: life, client, isExact: false)
                // Version 1 cannot express an accepted increase.
                if life.moments.last?.priceIncrease != .accepted {
                    try await expectRenewal(of: life, client)
                }
            }
        }
    }

    @Test(
        "An extension followed by another renewal is reported missing, and found by reconciliation")
    func lookedUp() async throws {
        let reported = ReportedLives.renewedSince(2)
        #expect(reported.lives.count == 2)
        let place = try place()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let (apple, books) = try use(host, place, reported)
            var missing = 0
            for life in reported.lives {
                let answer = try await post(life, client, reported)
                let shown = answer.json["subscriptions"]?.array?.first
                let notices = shown?["notices"]?.array?.map { $0["code"]?.string }
                if notices?.contains("missingPeriod") == true { missing += 1 }
            }
            #expect(missing > 0)
            let served = try host.ledger(.production)
            let report = try await Reconcile(
                [apple.bundleId: apple], ledgers: books, ledger: served.ledger
            ) { position async throws(StoreError) in
                try await served.laterSnapshot(atLeast: position)
            }.run()
            #expect(report.stop == nil)
            for life in reported.lives { try await expectTruth(of: life, client) }
        }
    }

    @Test("Where Apple has no statuses of an id, its history is requested all the same")
    func withoutStatuses() async throws {
        let place = try place()
        let life = try #require(Self.reported.lives.first)
        let rules = [ServedFaultRule(.error(4_040_010), only: .allSubscriptionStatuses)]
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            try use(host, place, faults: rules)
            let asked = try await post(life, client).json["asked"]
            #expect(asked?["failure"]?.isNull == true)
            #expect((asked?["appended"]?.int64 ?? 0) > 0)
        }
    }

    @Test("The console looks a subscription up at Apple, once, and says when it cannot, or refused")
    func consoleLookup() async throws {
        let place = try place()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let life = try #require(Self.reported.lives.first)
            _ = try await post(life, client)
            let log = try host.ledger(.production).ledger.log
            let before = try await log.head().position
            let id = life.originalTransactionId.rawValue
            let page = "/console/production/subscriptions/\(id)"
            let form = Array("key=k&actor=sara&reason=ticket".utf8)
            let refused = try await client.submit("\(page)/look-up", form)
            #expect(refused.status == 422 && refused.text.contains("ticket"))
            #expect(try await log.head().position == before)

            try use(host, place, faults: [ServedFaultRule(.badSignature)])
            let forged = try await client.submit("\(page)/look-up", form)
            #expect(forged.status == 502 && forged.text.contains("refused, and is in quarantine"))
            try use(host, place)
            let served = try host.ledger(.production)
            _ = try await served.snapshot(atLeast: before)
            // The act does not wait for the projections; the page after it does.
            var lock: ProjectorLock? = try await ProjectorLock.held(
                directory: served.ledger.directory)
            var after = ""
            for _ in 0..<2 {
                let asked = try await client.submit("\(page)/look-up", form)
                after = "\(page)?did=asked&minPosition=\(try await log.head().position)"
                #expect(asked.headers[.location] == after)
            }
            #expect(try await log.head().position > before)
            withExtendedLifetime(lock) {}
            lock = nil
            let shown = try await client.get(after)
            #expect(shown.status == 200 && shown.text.contains("what it sent is included"))
            try await expectTruth(of: life, client)
            let unknown = "/console/production/orders/MK5TTTVWJH"
            let order = try await client.submit(unknown, form)
            #expect(order.status == 422)
            let other = Array("key=l&actor=sara&reason=ticket".utf8)
            #expect(try await client.submit(unknown, other).status == 404)
            // Of Production alone: its answer would be of another environment than the page.
            let elsewhere = try await client.submit(
                "/console/sandbox/orders/MK5TTTVWJH", Array("key=m&actor=sara&reason=ticket".utf8))
            #expect(elsewhere.status == 400 && elsewhere.text.contains("in Production only"))
        }
    }

    // MARK: Sending

    /// A client of the app whose customers are in these books.
    private static func client(
        _ books: ServedRecords, _ faults: [ServedFaultRule]
    ) throws -> AppStoreServerAPIClient {
        var setup = SimulatedAPI.Setup(
            books: books, key: TestAuthority.key, authority: TestAuthority.shared,
            storeClock: { ServedPlace.now }, clock: { ServedPlace.now })
        setup.faults = faults
        return AppStoreServerAPIClient(
            credentials: try TestAuthority.key.credentials(books.bundleId),
            transport: SimulatedTransport(production: SimulatedAPI(setup)),
            clock: ManualClock(ServedPlace.now))
    }

    @discardableResult
    private func use(
        _ host: LedgerHost, _ place: ServedPlace, _ reported: ReportedLives = reported,
        faults: [ServedFaultRule] = []
    ) throws -> (AppStoreServerAPIClient, EnvironmentLedgers) {
        let client = try Self.client(reported.books, faults)
        let books = EnvironmentLedgers(
            place.configuration.ledger, apps: place.configuration.apps,
            verifier: EvidenceVerifier(roots: place.roots), revocation: nil,
            ledgers: host.ledgers.map(\.ledger)
        ) { ServedPlace.now }
        host.reach.use([client.bundleId: client], books)
        return (client, books)
    }

    /// Attempts for one receipt; only a hang reaches it.
    private static let mostTries = 30

    /// The receipt on the customer's device today.
    private func post(
        _ life: SubscriberLife, _ client: WebClient, _ reported: ReportedLives = reported
    ) async throws -> WebClient.Answer {
        let contents = try #require(
            OriginalStoreKit(reported.books).receipt(
                of: life.originalTransactionId.rawValue, at: ServedPlace.now))
        let receipt = try TestAuthority.receipts.sign(contents)
        let body = MadeReceipt.body(
            String(decoding: Base64.standard.encode(receipt), as: UTF8.self))
        var answer = try await client.post("/v1/receipts", body)
        // What a busy machine did not project within two seconds is requested again.
        for _ in 1..<Self.mostTries where answer.code == "projectionBehind" {
            answer = try await client.post("/v1/receipts", body)
        }
        #expect(answer.status == 200, "\(answer.code ?? "")")
        return answer
    }

    private func notify(_ client: WebClient) async throws {
        let sent = try OriginalStoreKit(Self.reported.books).notificationsV1(
            through: ServedPlace.now, password: Self.secret, authority: TestAuthority.receipts)
        #expect(sent.count > Self.reported.lives.count)
        for notification in sent {
            #expect(try await client.notify(notification.body).status == 200)
        }
    }

    // MARK: Comparing

    private func truth(_ life: SubscriberLife, at moment: Timestamp) -> TrueInterval? {
        life.truth.last { $0.from <= moment }
    }

    /// The state, its product and the end of access, at the bounds and in the middle of every true
    /// interval.
    private func expectTruth(
        of life: SubscriberLife, _ client: WebClient, isExact: Bool = true
    ) async throws {
        let digits = isExact ? 24 : 19
        for (index, interval) in life.truth.enumerated() where interval.from <= ServedPlace.now {
            let end = min(interval.to ?? ServedPlace.now, ServedPlace.now)
            let half = end.milliseconds(since: interval.from) / 2
            var accessUntil: Timestamp?
            if interval.state.isEntitled {
                accessUntil = life.truth[index...].first { !$0.state.isEntitled }?.from
            }
            let moments = [
                interval.from, interval.from.advanced(byMilliseconds: half),
                end.advanced(byMilliseconds: isExact ? -1 : -1_000),
            ]
            for moment in moments where interval.contains(moment) {
                let shown = try await client.ask(
                    "/v1/subscriptions/\(life.originalTransactionId.rawValue)?at=\(moment.milliseconds)"
                ).json
                let place: Comment = "seed \(life.seed) at \(moment.rfc3339)"
                #expect(shown["state"]?.string == interval.state.rawValue, place)
                #expect(shown["productId"]?.string == interval.productId.rawValue, place)
                #expect(
                    shown["accessUntil"]?.string?.prefix(digits)
                        == accessUntil?.rfc3339.prefix(digits), place)
            }
        }
    }

    /// What comes next, where the last that Apple signed about it still applies.
    private func expectRenewal(of life: SubscriberLife, _ client: WebClient) async throws {
        guard let last = life.moments.last, let interval = truth(life, at: ServedPlace.now),
            interval.contains(last.at), interval.state.isEntitled
        else { return }
        let shown = try await client.ask(
            "/v1/subscriptions/\(life.originalTransactionId.rawValue)"
        ).json
        let place: Comment = "seed \(life.seed)"
        #expect(shown["willRenew"]?.bool == last.willRenew, place)
        #expect(shown["nextProductId"]?.string == last.nextProductId?.rawValue, place)
        #expect(shown["priceIncrease"]?.string == last.priceIncrease?.rawValue, place)
    }
}
