import AppStore
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Signing
import Simulator
import Testing

@testable import Service
@testable import Web

@Suite("Apple's requests for retention messages")
struct RetentionRouteTests {
    static let message = "758883e8-151b-47b7-abd0-60c4d804c2f5"
    private let purchase = MadePurchase()

    private func place(
        _ rules: [RetentionRule] = [RetentionRule(name: "all", message: message)]
    ) throws -> ServedPlace {
        var place = try ServedPlace()
        place.configuration.retention = rules
        return place
    }

    private func payload(
        _ change: (inout RetentionRequestPayload) -> Void = { _ in }
    ) -> RetentionRequestPayload {
        var payload = RetentionRequestPayload()
        payload.originalTransactionId = OriginalTransactionId(purchase.id)
        payload.appAppleId = MadePurchase.appAppleId
        payload.productId = ProductId("com.example.pro.monthly")
        payload.userLocale = "en-US"
        payload.requestIdentifier = "0f8fad5b-d9cb-469f-a165-70867728950e"
        payload.environment = Raw(.production)
        payload.signedDate = ServedPlace.now
        change(&payload)
        return payload
    }

    private func body(_ payload: RetentionRequestPayload) throws -> [UInt8] {
        MadePurchase.body(try TestAuthority.signer.sign(payload.encoded()))
    }

    @Test("What is no request for a message is a 400, also without signedPayload: no notification")
    func malformed() async throws {
        let receipt = "{\"notification_type\":\"DID_RENEW\",\"password\":\"p\"}"
        let cases = [
            ("{}", "invalidBody"), ("[]", "invalidBody"), ("1", "invalidBody"),
            (receipt, "invalidBody"), ("[", "malformedJSON"),
            ("{\"signedPayload\":\"a.b.c\"}", "malformedJWS"),
        ]
        try await place().serve { (client: WebClient, _: LedgerHost) async throws in
            for (text, code) in cases {
                let answer = try await client.post("/appstore/retention", Array(text.utf8))
                #expect(answer.status == 400 && answer.code == code, "\(text)")
                guard code == "invalidBody" else { continue }
                let detail = answer.json["detail"]?.string ?? ""
                #expect(detail.contains("retention message"), "\(text): \(detail)")
            }
        }
    }

    @Test("Another app, an environment that is not served and a signed notification are a 503")
    func foreign() async throws {
        let notification = try purchase.notificationBody()
        let app = try body(payload { $0.appAppleId = 1 })
        let environment = try body(payload { $0.environment = Raw(rawValue: "Moon") })
        try await place().serve { (client: WebClient, _: LedgerHost) async throws in
            for (request, code) in [
                (app, "wrongApp"), (environment, "wrongEnvironment"),
                (notification, "undecodablePayload"),
            ] {
                let answer = try await client.post("/appstore/retention", request)
                #expect(answer.status == 503 && answer.code == code, "\(code)")
            }
        }
    }

    @Test("Where several apps are configured, the refusal says what the request names")
    func unmatched() async throws {
        var served = try place()
        served.configuration.apps.append(
            Configuration.App(bundleId: BundleId("com.example.other"), appAppleId: 7))
        let requests = [
            (try body(payload { $0.appAppleId = 1 }), "the appAppleId 1 of the request"),
            (try body(payload { $0.appAppleId = nil }), "The request has no appAppleId"),
        ]
        try await served.serve { (client: WebClient, _: LedgerHost) async throws in
            for (request, part) in requests {
                let answer = try await client.post("/appstore/retention", request)
                #expect(answer.status == 503 && answer.code == "wrongApp")
                #expect(answer.json["detail"]?.string?.contains(part) == true)
            }
        }
    }

    @Test("A body and an identifier at their limits are read; one byte more is refused")
    func size() async throws {
        let request = try body(payload())
        try await place().serve { (client: WebClient, _: LedgerHost) async throws in
            for excess in 0...1 {
                let room = LedgerHost.retentionByteCount + excess - request.count
                let sent = request + [UInt8](repeating: UInt8(ascii: " "), count: room)
                let answer = try await client.post("/appstore/retention", sent)
                #expect(answer.status == (excess == 0 ? 200 : 413), "\(excess)")
                let count = EvidenceVerifier.requestIdentifierByteCount + excess
                let name = String(repeating: "a", count: count)
                let long = try body(payload { $0.requestIdentifier = name })
                let named = try await client.post("/appstore/retention", long)
                #expect(named.status == (excess == 0 ? 200 : 503), "\(excess)")
            }
        }
    }

    @Test("Signed 5 minutes from now, a request is answered; further away or undated it is a 400")
    func age() async throws {
        let ages = [300_000, 300_001, -300_000, -300_001] as [Int64]
        try await place().serve { (client: WebClient, _: LedgerHost) async throws in
            for milliseconds in ages {
                let signed = ServedPlace.now.advanced(byMilliseconds: milliseconds)
                let request = try body(payload { $0.signedDate = signed })
                let answer = try await client.post("/appstore/retention", request)
                let isRecent = abs(milliseconds) == LedgerHost.retentionAgeMilliseconds
                #expect(
                    answer.status == (isRecent ? 200 : 400)
                        && answer.code == (isRecent ? nil : "invalidTime"), "\(milliseconds)")
            }
            let undated = try body(payload { $0.signedDate = nil })
            let answer = try await client.post("/appstore/retention", undated)
            #expect(answer.status == 400 && answer.code == "invalidTime")
        }
    }

    /// Answers after an hour.
    private struct SlowResponder: RevocationTransport {
        func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
            try await Task.sleep(for: .seconds(3_600))
            return []
        }
    }

    @Test("Where the check for revocation is required, a slow responder does not delay the answer")
    func slowResponder() async throws {
        var place = try place()
        place.configuration.verification.revocation = .require
        place.responders = SlowResponder()
        place.retentionLimit = .milliseconds(50)
        let request = try body(payload())
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.post("/appstore/retention", request)
            #expect(answer.status == 503 && answer.code == "revocationUnknown")
        }
    }

    @Test("A request under certificates whose status is known needs no time for the check")
    func settled() async throws {
        var place = try place()
        place.configuration.verification.revocation = .require
        place.responders = RevocationRouteTests.Responder(.good)
        place.retentionLimit = .zero
        let request = try body(payload())
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let unknown = try await client.post("/appstore/retention", request)
            #expect(unknown.code == "revocationUnknown")
            let notified = try await client.notify(purchase.notificationBody())
            #expect(notified.status == 200)
            let known = try await client.post("/appstore/retention", request)
            #expect(known.status == 200)
        }
    }

    @Test("What is not ready in time is no message, is counted, and names no subscription")
    func late() async throws {
        var place = try place()
        place.retentionLimit = .zero
        let request = try body(payload())
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            let answer = try await client.post("/appstore/retention", request)
            #expect(answer.status == 200)
            #expect(answer.bytes == Array("{}".utf8))
            let records = try await recorded(host)
            #expect(records.map(\.outcome) == [.late])
            #expect(records.map(\.chain.originalTransactionId.rawValue) == [""])
            let text = try await client.get("/metrics").text
            for line in [
                #"subledger_retention_answers_total{outcome="late"} 1"#,
                #"subledger_retention_answers_total{outcome="shown"} 0"#,
                "subledger_retention_unrecorded_total 0",
            ] { #expect(text.contains(line + "\n"), "\(line)") }
        }
    }

    /// Answers about the purchase, and about the chain `9`.
    private var records: [RetentionRecord] {
        [purchase.id, "9"].map { id in
            let chain = ChainId(
                bundleId: BundleId(MadePurchase.app),
                originalTransactionId: OriginalTransactionId(id))
            return RetentionRecord(
                requestId: id, chain: chain, at: ServedPlace.now, outcome: .shown, rule: "all")
        }
    }

    @Test("An erasure between the look for erasures and the write leaves no record at any time")
    func overtaken() async throws {
        try await place().serve { (client: WebClient, host: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            let served = try host.ledger(.production)
            try await host.store(
                RetentionAnswers.Page(records: records, position: 1), in: served
            ) {
                do {
                    let isErased = try await served.ledger.log.head().position > 1
                    if !isErased {
                        let answer = try await client.erase(chains: [purchase.id])
                        #expect(answer.status == 200)
                    }
                    let left = try await stored(host)
                    #expect(left.isEmpty)
                } catch { Issue.record(error) }
            }
            #expect(try await stored(host).map(\.requestId) == ["9"])
        }
    }

    @Test("Answers that wait to be recorded while their subscription is erased are not recorded")
    func erased() async throws {
        let request = try body(payload())
        try await place().serve { (client: WebClient, host: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            #expect(try await client.erase(chains: [purchase.id]).status == 200)
            let served = try host.ledger(.production)
            for record in records { host.keep(record, answeredAt: 1, in: served) }
            #expect(try await recorded(host).map(\.requestId) == ["9"])
            // Apple asks about it again.
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=2")
            let answer = try await client.post("/appstore/retention", request)
            #expect(answer.bytes == Array("{}".utf8))
            let records = try await recorded(host, count: 2)
            #expect(!records.contains { $0.chain.originalTransactionId.rawValue == purchase.id })
        }
    }

    @Test("An unknown subscription and one that no rule concerns get no message")
    func none() async throws {
        var rule = RetentionRule(name: "long", message: Self.message)
        rule.tenureDays.from = 100_000
        let request = try body(payload())
        try await place([rule]).serve { (client: WebClient, host: LedgerHost) async throws in
            let unknown = try await client.post("/appstore/retention", request)
            #expect(unknown.status == 200)
            #expect(unknown.bytes == Array("{}".utf8))
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            let known = try await client.post("/appstore/retention", request)
            #expect(known.bytes == Array("{}".utf8))
        }
    }

    @Test("The first rule that applies decides, and the answer is recorded")
    func chosen() async throws {
        var other = RetentionRule(name: "trial", message: Self.message)
        other.phases = [.trial]
        var plan = RetentionRule(name: "plan", message: Self.message)
        plan.alternateProduct = ProductId("com.example.basic")
        plan.billingPlanType = .monthly
        let last = RetentionRule(name: "last", message: Self.message)
        let request = try body(payload())
        try await place([other, plan, last]).serve {
            (client: WebClient, host: LedgerHost) async throws in
            for period in 0...2 {
                _ = try await client.notify(purchase.notificationBody(period))
            }
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=3")
            let answer = try await client.post("/appstore/retention", request)
            let chosen = answer.json["alternateProduct"]
            #expect(chosen?["messageIdentifier"]?.string == Self.message)
            #expect(chosen?["productId"]?.string == "com.example.basic")
            #expect(chosen?["billingPlanType"]?.string == "MONTHLY")
            #expect(answer.json["message"] == nil)
            let records = try await recorded(host)
            #expect(records.map(\.rule) == ["plan"])
            #expect(records.map(\.outcome) == [.shown])
            #expect(try await client.get("/v1/events").json["position"]?.int64 == 3)
            // One period is left, so nothing is decided.
            let path = "/v1/metrics/retention-offers"
            let end = ServedPlace.now.milliseconds + 1
            let counted = try await client.get(
                "\(path)?from=\(ServedPlace.now.milliseconds)&to=\(end)")
            #expect(counted.json["rows"]?.array?.count == 1)
            #expect(counted.json["rows"]?.array?.first?["rule"]?.string == "plan")
            #expect(counted.json["rows"]?.array?.first?["open"]?.int64 == 1)
            #expect(counted.json["unanswered"]?["noRule"]?.int64 == 0)
            #expect(counted.json["rows"]?.array?.first?["message"]?.string == Self.message)
            let empty = try await client.get("\(path)?from=\(end)&to=\(end)")
            #expect(empty.status == 400 && empty.code == "invalidRange")
            let future = try await client.get("\(path)?from=2999-01-01")
            #expect(future.code == "invalidRange")
            let undated = try await client.get(path)
            #expect(undated.status == 400 && undated.code == "invalidTime")
        }
    }

    @Test("A rule with an offer answers with its signature; without a key there is no message")
    func offered() async throws {
        var rule = RetentionRule(name: "offer", message: Self.message)
        rule.promotionalOffer = "stay"
        let first = try body(payload())
        let second = try body(payload { $0.requestIdentifier = "another" })
        let world = try RecoveryWorld()
        let apple = try world.client(world.apple())
        try await place([rule]).serve { (client: WebClient, host: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            let keyless = try await client.post("/appstore/retention", first)
            #expect(keyless.bytes == Array("{}".utf8))
            host.reach.use([RecoveryWorld.app: apple])
            let answer = try await client.post("/appstore/retention", second)
            let offer = answer.json["promotionalOffer"]
            #expect(offer?["messageIdentifier"]?.string == Self.message)
            let token = offer?["promotionalOfferSignatureV2"]?.string ?? ""
            #expect(token.split(separator: ".").count == 3)
            let records = try await recorded(host, count: 2)
            #expect(Set(records.map(\.outcome)) == [.unavailable, .shown])
            // Of the answer that was signed only.
            let offers = records.filter { $0.outcome == .shown }.map(\.promotionalOffer)
            #expect(offers == ["stay"])
            #expect(records.compactMap(\.promotionalOffer).count == 1)
            let end = ServedPlace.now.milliseconds + 1
            let counted = try await client.get("/v1/metrics/retention-offers?from=0&to=\(end)")
            let row = counted.json["rows"]?.array?.first
            #expect(row?["promotionalOffer"]?.string == "stay")
        }
    }

    /// The records, once as many are written.
    private func recorded(
        _ host: LedgerHost, count: Int = 1
    ) async throws -> [RetentionRecord] {
        while true {
            let records = try await stored(host)
            guard records.count < count else { return records }
            await Task.yield()
        }
    }

    /// The records that are written now.
    private func stored(_ host: LedgerHost) async throws -> [RetentionRecord] {
        try await host.ledger(.production).ledger.operations.retentionAnswers(
            after: RetentionRecord.Place(before: Timestamp(milliseconds: 0)),
            before: Timestamp(milliseconds: .max), limit: 10)
    }
}
