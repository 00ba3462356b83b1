import AppStore
import HTTPTypes
import LedgerTestSupport
import Service
import Signing
import Simulator
import Testing

@testable import Web

@Suite("Signatures over HTTP")
struct SignatureRouteTests {
    private static let token = "0ab11111-2222-4333-8444-555555555555"
    private static let product = "com.example.pro.monthly"
    private static let offer = ["productId": product, "offerId": "comeback"]

    private static var purchase: MadePurchase {
        var purchase = MadePurchase()
        purchase.appAccountToken = token
        return purchase
    }

    private static func body(_ members: [String: String], _ flags: [String: Bool] = [:]) -> [UInt8]
    {
        var json = JSONWriter()
        json.object { json in
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { json.member(key, value) }
            for (key, value) in flags.sorted(by: { $0.key < $1.key }) { json.member(key, value) }
        }
        return json.bytes
    }

    private static func sign(
        _ client: WebClient, _ kind: String, _ body: [UInt8], query: String = ""
    ) async throws -> WebClient.Answer {
        try await client.post("/v1/signatures/\(kind)\(query)", body)
    }

    /// Serves two periods of the purchase to an app that has a key.
    private func serve(
        at now: Timestamp = ServedPlace.now, waitLimit: Duration? = nil,
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        var place = try ServedPlace()
        place.now = now
        if let waitLimit { place.waitLimit = waitLimit }
        let world = try RecoveryWorld()
        let apple = try world.client(world.apple())
        try await place.serve(renewed: SignatureRouteTests.purchase) {
            (client: WebClient, host: LedgerHost) async throws in
            host.reach.use([RecoveryWorld.app: apple])
            try await body(client, host)
        }
    }

    /// A day before the end of the last period that is known; `ServedPlace.now` is days after it.
    private static let within = purchase.start(2).advanced(byMilliseconds: -86_400_000)

    // MARK: Refused

    @Test("A position beyond the log is waited for, whether the ledger decides or not")
    func minimumPosition() async throws {
        try await serve(waitLimit: ServedPlace.briefWait) { client, _ in
            for flags in [[:], ["ifEligible": true]] {
                let members = SignatureRouteTests.offer.merging(["transactionId": "1"]) { $1 }
                let answer = try await SignatureRouteTests.sign(
                    client, "promotional-offer", SignatureRouteTests.body(members, flags),
                    query: "?minPosition=999")
                #expect(answer.status == 503 && answer.code == "projectionBehind", "\(flags)")
            }
        }
    }

    @Test("Bodies that are none of the kind or beyond their bound are refused")
    func bodies() async throws {
        try await serve { client, _ in
            let offer = SignatureRouteTests.offer
            let cases: [(String, [String: String], [String: Bool], String)] = [
                ("promotional-offer", [:], [:], "invalidBody"),
                ("promotional-offer", ["productId": "p"], [:], "invalidBody"),
                ("promotional-offer", offer, ["ifElligible": true], "invalidBody"),
                ("promotional-offer", offer, ["ifEligible": true], "invalidBody"),
                (
                    "promotional-offer-v1", offer, ["ifEligible": true], "invalidBody"
                ),
                (
                    "promotional-offer", offer.merging(["customer": "ann"]) { $1 }, [:],
                    "invalidBody"
                ),
                (
                    "promotional-offer", offer.merging(["customer": ""]) { $1 },
                    ["ifEligible": true], "invalidCustomer"
                ),
                (
                    "promotional-offer", ["productId": "p", "offerId": "a b"], [:],
                    "invalidSignatureField"
                ),
                (
                    "promotional-offer-v1", offer.merging(["transactionId": "1"]) { $1 }, [:],
                    "invalidBody"
                ),
                (
                    "introductory-offer", ["productId": "p", "transactionId": "1"], [:],
                    "invalidBody"
                ),
                (
                    "introductory-offer", ["productId": "p", "transactionId": "1"],
                    ["allowIntroductoryOffer": false, "ifEligible": true], "invalidBody"
                ),
                ("advanced-commerce", [:], [:], "invalidBody"),
                ("advanced-commerce", ["request": "x"], [:], "invalidCommerceRequest"),
            ]
            for (kind, members, flags, code) in cases {
                let answer = try await SignatureRouteTests.sign(
                    client, kind, SignatureRouteTests.body(members, flags))
                #expect(answer.status == 400 && answer.code == code, "\(kind) \(members) \(flags)")
            }
            let members = SignatureRouteTests.body(SignatureRouteTests.offer)
            for (count, status) in [
                (SignatureOrder.maximumByteCount, 200), (SignatureOrder.maximumByteCount + 1, 413),
            ] {
                let space = [UInt8](repeating: 0x20, count: count - members.count)
                let answer = try await SignatureRouteTests.sign(
                    client, "promotional-offer", members + space)
                #expect(answer.status == status)
            }
        }
    }

    @Test("A customer who still subscribes, alone or beside another, gets no offer for lapsed ones")
    func subscribed() async throws {
        try await serve(at: SignatureRouteTests.within) { client, _ in
            for (key, value) in [
                ("customer", SignatureRouteTests.token),
                ("transactionId", SignatureRouteTests.purchase.transactionId(1)),
            ] {
                let answer = try await SignatureRouteTests.sign(
                    client, "promotional-offer",
                    SignatureRouteTests.body(
                        SignatureRouteTests.offer.merging([key: value]) { $1 },
                        ["ifEligible": true]))
                #expect(answer.status == 409 && answer.code == "notEligible", "\(key)")
                let detail = answer.json["detail"]?.string ?? ""
                #expect(detail.contains("subscribed") && detail.contains("2"))
                #expect(answer.json["reason"]?.string == "subscribed")
                let evidence = answer.json["evidence"]?.array ?? []
                #expect(evidence.contains(.number("2")))
                let events = evidence.compactMap(\.int64).map(String.init)
                #expect(detail.contains("Events: \(events.joined(separator: ", "))."))
            }
            // Of a customer who may have the offer and one named by the token, the latter decides.
            let members = SignatureRouteTests.offer.merging([
                "appAccountToken": SignatureRouteTests.token, "customer": "ann",
            ]) { $1 }
            let both = try await SignatureRouteTests.sign(
                client, "promotional-offer-v1",
                SignatureRouteTests.body(members, ["ifEligible": true]))
            #expect(both.status == 409 && both.code == "notEligible")
            #expect(both.json["reason"]?.string == "subscribed")
            #expect(both.json["detail"]?.string?.contains("(subscribed)") == true)
        }
    }

    @Test("An unknown transaction decides nothing, unless a customer is named")
    func unknown() async throws {
        try await serve { client, _ in
            let members = ["productId": SignatureRouteTests.product, "transactionId": "7"]
            let flags = ["ifEligible": true, "allowIntroductoryOffer": true]
            let answer = try await SignatureRouteTests.sign(
                client, "introductory-offer", SignatureRouteTests.body(members, flags))
            #expect(answer.status == 404 && answer.code == "noSuchSubscription")
            #expect(answer.json["reason"] == nil && answer.json["evidence"] == nil)
            let named = try await SignatureRouteTests.sign(
                client, "introductory-offer",
                SignatureRouteTests.body(members.merging(["customer": "ann"]) { $1 }, flags))
            #expect(named.status == 200 && named.json["eligibility"]?["subscriptions"]?.array == [])
        }
    }

    @Test(
        "An erased chain, or anything of an erased customer, decides nothing",
        arguments: [true, false])
    func erased(isCustomer: Bool) async throws {
        let (id, token) = (SignatureRouteTests.purchase.id, SignatureRouteTests.token)
        try await serve { client, _ in
            let done =
                isCustomer
                ? try await client.erase(customer: token) : try await client.erase(chains: [id])
            #expect(done.status == 200)
            // Whatever else is named.
            for (transaction, customer) in isCustomer
                ? [(id, token), ("1000000000000000", token)] : [(id, "ann")]
            {
                let members = [
                    "productId": SignatureRouteTests.product, "transactionId": transaction,
                    "customer": customer,
                ]
                let answer = try await SignatureRouteTests.sign(
                    client, "introductory-offer",
                    SignatureRouteTests.body(
                        members, ["ifEligible": true, "allowIntroductoryOffer": true]),
                    query: "?minPosition=3")
                #expect(answer.status == 404 && answer.code == "noSuchSubscription")
            }
        }
    }

    @Test(
        "A purchase that may be a subscription and cannot be read decides against a signature",
        arguments: [
            ("Auto-Renewable Subscription 2", 422), ("Auto-Renewable Subscription", 422),
            ("Consumable", 200),
        ])
    func unreadable(type: String, status: Int) async throws {
        var made = MadePurchase()
        (made.id, made.appAccountToken) = ("500000000000009", SignatureRouteTests.token)
        let purchase = made
        try await serve { client, _ in
            var transaction = purchase.transaction(0)
            transaction.type = Raw(rawValue: type)
            transaction.expiresDate = nil
            let upload = try MadePurchase.upload(transaction)
            #expect(try await client.post("/v1/transactions", upload).status == 200)
            let answer = try await SignatureRouteTests.sign(
                client, "promotional-offer-v1",
                SignatureRouteTests.body(
                    SignatureRouteTests.offer.merging([
                        "appAccountToken": SignatureRouteTests.token
                    ]) { $1 }, ["ifEligible": true]), query: "?minPosition=3")
            #expect(
                answer.status == status && answer.code == (status == 200 ? nil : "unknownGroup"))
        }
    }

    /// A notification about a chain with renewal info and no transaction.
    private static func renewalOnly(_ id: String) throws -> [UInt8] {
        let made = MadeChain(id: id).bought()
        guard case .notification(let payload, _, let renewal) = made.evidence else { return [] }
        let delivery = MadeDelivery(
            receivedAt: made.receivedAt, evidence: .notification(payload, nil, renewal))
        return MadePurchase.body(try delivery.token())
    }

    @Test("A subscription of the customer with renewal info only decides against a signature")
    func renewalOnly() async throws {
        let (id, token) = ("500000000000009", SignatureRouteTests.token)
        try await serve { client, _ in
            let body = SignatureRouteTests.body(
                SignatureRouteTests.offer.merging(["appAccountToken": token]) { $1 },
                ["ifEligible": true])
            #expect(try await client.notify(SignatureRouteTests.renewalOnly(id)).status == 200)
            // Renewal info names no customer.
            let unlinked = try await SignatureRouteTests.sign(
                client, "promotional-offer-v1", body, query: "?minPosition=3")
            #expect(unlinked.status == 200)
            let link = try await client.send(
                .put, "/v1/customers/\(token)/subscriptions/\(id)", .decision())
            #expect(link.status == 200)
            let linked = try await SignatureRouteTests.sign(
                client, "promotional-offer-v1", body, query: "?minPosition=4")
            #expect(linked.status == 422 && linked.code == "unknownGroup")
        }
    }

    @Test(
        "Without a catalogue, other customers' purchases state the group of a product",
        arguments: [(["21"], 409, 200), (["21", "22"], 422, 422)])
    func group(others: [String], introductory: Int, promotional: Int) async throws {
        let yearly = "com.example.pro.yearly"
        try await serve { client, _ in
            let own = MadePurchase(id: "500000000000002")
            var bought = own.transaction(0)
            bought.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("21")
            bought.offerType = Raw(.introductoryOffer)
            var uploads = [bought]
            for (number, group) in others.enumerated() {
                var other = MadePurchase(id: "50000000000001\(number)").transaction(0)
                other.productId = ProductId(yearly)
                other.subscriptionGroupIdentifier = SubscriptionGroupIdentifier(group)
                uploads.append(other)
            }
            for upload in uploads {
                let taken = try await client.post(
                    "/v1/transactions", MadePurchase.upload(upload))
                #expect(taken.status == 200)
            }
            let members = ["productId": yearly, "transactionId": own.id]
            let query = "?minPosition=\(2 + uploads.count)"
            let allowed = try await SignatureRouteTests.sign(
                client, "introductory-offer",
                SignatureRouteTests.body(
                    members, ["ifEligible": true, "allowIntroductoryOffer": true]),
                query: query)
            let offered = try await SignatureRouteTests.sign(
                client, "promotional-offer",
                SignatureRouteTests.body(
                    members.merging(["offerId": "comeback"]) { $1 }, ["ifEligible": true]),
                query: query)
            #expect(allowed.status == introductory && offered.status == promotional)
            let codes = [allowed.code, offered.code]
            #expect(codes.contains("unknownGroup") == (introductory == 422))
        }
    }

    // MARK: Signed

    @Test("Every kind is signed with the key of the app; if eligible, with the deciding events")
    func signed() async throws {
        try await serve { client, _ in
            let request =
                #"{"request":{"operation":"X","version":"1","#
                + #""requestInfo":{"requestReferenceId":"r"}}}"#
            let bodies: [(String, [UInt8])] = [
                ("promotional-offer", SignatureRouteTests.body(SignatureRouteTests.offer)),
                ("promotional-offer-v1", SignatureRouteTests.body(SignatureRouteTests.offer)),
                (
                    "introductory-offer",
                    SignatureRouteTests.body(
                        ["productId": "p", "transactionId": "1"],
                        ["allowIntroductoryOffer": false])
                ),
                ("advanced-commerce", Array(request.utf8)),
            ]
            for (kind, body) in bodies {
                let answer = try await SignatureRouteTests.sign(
                    client, kind, body, query: "?bundleId=\(RecoveryWorld.app)")
                #expect(answer.status == 200, "\(kind)")
                #expect(answer.json["kind"]?.string == kind)
                #expect(answer.json["keyId"]?.string == TestAuthority.key.keyId)
                #expect(answer.json["timestamp"]?.int64 == ServedPlace.now.milliseconds)
                #expect(answer.json["eligibility"]?.isNull == true)
                #expect(answer.json["signature"]?.string?.isEmpty == false)
            }
            let other = try await SignatureRouteTests.sign(
                client, "promotional-offer", bodies[0].1, query: "?bundleId=com.example.other")
            #expect(other.status == 422 && other.code == "missingKey")

            let members = SignatureRouteTests.offer.merging(
                ["appAccountToken": SignatureRouteTests.token.uppercased()]
            ) { $1 }
            let answer = try await SignatureRouteTests.sign(
                client, "promotional-offer-v1",
                SignatureRouteTests.body(members, ["ifEligible": true]),
                query: "?minPosition=2")
            #expect(answer.status == 200)
            let eligibility = answer.json["eligibility"]
            #expect(eligibility?["eligible"]?.bool == true)
            #expect(eligibility?["reason"]?.string == "lapsed")
            #expect(eligibility?["evidence"]?.array?.isEmpty == false)
            #expect(eligibility?["position"]?.int64 == 2)
            #expect(
                eligibility?["subscriptions"]?.array
                    == [.string(SignatureRouteTests.purchase.id)])
        }
    }

    @Test("Of tokens, only one with the scope sign may have signatures made")
    func scope() async throws {
        var place = try ServedPlace()
        place.configuration.server.tokens = [Scope.sign, .admin].map { .init($0.rawValue, [$0]) }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for (scope, code) in [("sign", "missingKey"), ("admin", "insufficientScope")] {
                let answer = try await client.post(
                    "/v1/signatures/promotional-offer",
                    SignatureRouteTests.body(SignatureRouteTests.offer),
                    [.contentType: "application/json", .authorization: "Bearer \(scope)"])
                #expect(answer.code == code)
            }
        }
    }
}
