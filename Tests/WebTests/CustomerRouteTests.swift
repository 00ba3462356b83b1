import AppStore
import HTTPTypes
import Ledger
import Queries
import Service
import Testing

@testable import Web

@Suite("Queries about customers")
struct CustomerRouteTests {
    private let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    private var purchase: MadePurchase { MadePurchase(appAccountToken: token) }

    /// Two chains of the token's customer and one of another app, all projected.
    private func bought(
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        let place = try ServedPlace(apps: [MadePurchase.app, "com.example.second"])
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0...2 {
                _ = try await client.notify(purchase.notificationBody(period))
            }
            var other = purchase
            other.id = "500000000000002"
            _ = try await client.notify(other.notificationBody())
            var foreign = purchase
            foreign.id = "500000000000003"
            foreign.bundleId = "com.example.second"
            _ = try await client.notify(foreign.notificationBody())
            _ = try await host.ledger(.production).snapshot(atLeast: 5, limit: .seconds(120))
            try await body(client, host)
        }
    }

    @Test("An unknown customer is new, with empty lists")
    func unknown() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let path = "/v1/customers/nobody%2F%C3%A9"
            let answer = try await client.get("\(path)/entitlements")
            #expect(answer.status == 200)
            #expect(answer.json["customer"]?.string == "nobody/é")
            #expect(answer.json["standing"]?.string == "new")
            for list in ["entitlements", "products", "groups"] {
                #expect(answer.json[list]?.array?.isEmpty == true)
            }
            let timeline = try await client.get("\(path)/timeline")
            #expect(timeline.status == 200)
            #expect(timeline.json["chains"]?.array?.isEmpty == true)
            #expect(timeline.json["entries"]?.array?.isEmpty == true)
            let list = try await client.get("\(path)/subscriptions")
            #expect(list.status == 200)
            #expect(list.json["subscriptions"]?.array?.isEmpty == true)
            #expect(list.json["next"]?.isNull == true)
        }
    }

    @Test("What the next holder bought is not in the timeline of the former one")
    func formerHolder() async throws {
        let other = "0b7c11aa-3c40-4b08-9b65-3a4b7f1c9d10"
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody(0))
            var next = purchase
            next.appAccountToken = other
            _ = try await client.notify(next.notificationBody(1))
            func times(_ customer: String) async throws -> [Int64] {
                let answer = try await client.get(
                    "/v1/customers/\(customer)/timeline?minPosition=2")
                return (answer.json["entries"]?.array ?? []).compactMap { entry in
                    entry["at"]?.string.flatMap { Timestamp(rfc3339: $0)?.milliseconds }
                }
            }
            let change = purchase.start.milliseconds + MadePurchase.periodMilliseconds
            let (former, present) = (try await times(token), try await times(other))
            #expect(!former.isEmpty && former.allSatisfy { $0 < change })
            #expect(!present.isEmpty && present.allSatisfy { $0 >= change })
        }
    }

    @Test("The responses equal the command's, however the token is spelled, and those of a batch")
    func same() async throws {
        try await bought { client, host in
            let snapshot = try await host.ledger(.production).snapshot()
            let moment = host.moment(QueryScope())
            let customer = CustomerId(stated: token)
            let answer = try await snapshot.entitlements(of: customer, moment: moment)
            let reading = try await snapshot.reading(of: customer, moment: moment)
            var (entitlements, timeline, list) = (JSONWriter(), JSONWriter(), JSONWriter())
            answer.write(to: &entitlements)
            reading.writeTimeline(to: &timeline)
            reading.writeSubscriptions(to: &list, limit: 100)
            for spelling in [token, token.uppercased()] {
                let path = "/v1/customers/\(spelling)"
                #expect(try await client.get("\(path)/entitlements").bytes == entitlements.bytes)
                #expect(try await client.get("\(path)/timeline").bytes == timeline.bytes)
                #expect(try await client.get("\(path)/subscriptions").bytes == list.bytes)
            }
            #expect(answer.entitlements.standing == .active)
            #expect(reading.chains.count == 3)
            // A batch is answered in the order given, each as by itself.
            let asked = [token.uppercased(), "nobody", token]
            for query in ["", "?knownPosition=1", "?at=\(purchase.start(1).milliseconds)"] {
                let answer = try await client.post(
                    "/v1/customers:entitlements\(query)", batch(asked))
                #expect(answer.status == 200)
                let answers = try #require(answer.json["customers"]?.array)
                #expect(answers.count == 3)
                for (customer, answer) in zip(asked, answers) {
                    let alone = try await client.get(
                        "/v1/customers/\(customer)/entitlements\(query)")
                    #expect(answer == alone.json)
                }
            }
        }
    }

    @Test("at, knownPosition and bundleId select other times and one app")
    func scoped() async throws {
        try await bought { client, _ in
            let path = "/v1/customers/\(token)/entitlements"
            let before = purchase.start.advanced(byMilliseconds: -1).rfc3339
            #expect(try await client.get("\(path)?at=\(before)").json["standing"]?.string == "new")
            let late = try await client.get("\(path)?at=2027-01-01T00:00:00.000Z")
            #expect(late.json["standing"]?.string == "inactive")
            let known = try await client.get("\(path)?knownPosition=1").json
            #expect(known["position"]?.int64 == 1)
            #expect(known["standing"]?.string == "inactive")
            let unknown = try await client.get("\(path)?knownAt=0").json
            #expect(unknown["standing"]?.string == "new")
            for (app, count) in [(MadePurchase.app, 2), ("com.example.second", 1), ("x", 0)] {
                let list = try await client.get(
                    "/v1/customers/\(token)/subscriptions?bundleId=\(app)")
                #expect(list.json["subscriptions"]?.array?.count == count)
                let timeline = try await client.get(
                    "/v1/customers/\(token)/timeline?bundleId=\(app)")
                #expect(timeline.json["chains"]?.array?.count == count)
                for knowledge in ["", "&knownPosition=5"] {
                    let answer = try await client.get("\(path)?bundleId=\(app)\(knowledge)").json
                    #expect(
                        answer["standing"]?.string
                            == (app == MadePurchase.app
                                ? "active" : count == 0 ? "new" : "inactive")
                    )
                }
            }
        }
    }

    @Test("Subscriptions and a timeline are paged, each once, in order, with chains on some page")
    func pages() async throws {
        try await bought { client, _ in
            let lists = try await client.pages("/v1/customers/\(token)/subscriptions", limit: 1)
            #expect(
                lists.all("subscriptions").map { $0["originalTransactionId"]?.string }
                    == ["500000000000001", "500000000000002", "500000000000003"])
            let whole = try await client.get("/v1/customers/\(token)/timeline").json
            let all = try #require(whole["entries"]?.array)
            #expect(all.count > 3)
            #expect(whole["next"]?.isNull == true)
            let pages = try await client.pages("/v1/customers/\(token)/timeline", limit: 1)
            #expect(pages.all("entries") == all && pages.count == all.count)
            for page in pages {
                let (entries, chains) = ([page].all("entries"), [page].all("chains"))
                #expect(
                    chains.map { $0["originalTransactionId"]?.string }
                        == entries.map { $0["originalTransactionId"]?.string })
            }
            let chains = Set(pages.all("chains").map { $0["originalTransactionId"]?.string })
            #expect(chains.count == whole["chains"]?.array?.count)
        }
    }

    @Test("An unchanged response is a 304, also later; a changed one is sent whole")
    func entityTag() async throws {
        try await bought { client, _ in
            for question in ["entitlements", "timeline", "subscriptions"] {
                let path = "/v1/customers/\(token)/\(question)"
                let tag = try #require(try await client.get(path).headers[.eTag])
                #expect(try await client.get(path, [.ifNoneMatch: tag]).status == 304)
                #expect(try await client.get("\(path)?at=0", [.ifNoneMatch: tag]).status == 200)
            }
            let path = "/v1/customers/\(token)/entitlements"
            let tag = try #require(try await client.get(path).headers[.eTag])
            var other = purchase
            other.id = "500000000000009"
            other.appAccountToken = nil
            _ = try await client.notify(other.notificationBody())
            #expect(
                try await client.ask("\(path)?minPosition=6", [.ifNoneMatch: tag]).status == 304)
        }
    }

    @Test("An invalid query is refused with its code, a control character by that name")
    func refused() async throws {
        let cases = [
            ("entitlements?at=soon", "invalidTime"),
            ("entitlements?knownPosition=1&knownAt=0", "invalidParameter"),
            ("entitlements?limit=1", "unknownParameter"),
            ("timeline?minPosition=-1", "invalidParameter"),
            ("timeline?limit=0", "invalidParameter"), ("timeline?limit=1001", "invalidParameter"),
            ("timeline?after=x", "invalidCursor"), ("timeline?after=1~", "invalidCursor"),
            ("subscriptions?limit=1001", "invalidParameter"),
            ("subscriptions?limit=0", "invalidParameter"),
            ("subscriptions?after=nonsense", "invalidCursor"),
            ("subscriptions?environment=moon", "unknownEnvironment"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (question, code) in cases {
                let answer = try await client.get("/v1/customers/ann/\(question)")
                #expect(answer.status == 400 && answer.code == code, "\(question)")
            }
            for (path, code) in [
                ("/v1/metrics/churn?from=2026-01-01&where=product=-2%0A3", "invalidParameter"),
                ("/v1/customers/a%0Ab/entitlements", "invalidPath"),
            ] {
                let answer = try await client.get(path)
                #expect(answer.status == 400 && answer.code == code, "\(path)")
                #expect(answer.text.contains("control character"), "\(path)")
            }
        }
    }

    @Test("Pages, ids and cursors are accepted at their limits and refused beyond")
    func bounds() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let path = "/v1/customers"
            #expect(try await client.get("\(path)/a/subscriptions?limit=1000").status == 200)
            // Whatever follows its tilde is valid, including a combining mark.
            let marked = "\(path)/a/subscriptions?after=%C3%87~%F0%9F%8F%BB%CC%81"
            #expect(try await client.get(marked).status == 200)
            for (excess, status) in [(0, 200), (1, 400)] {
                let id = String(repeating: "a", count: PathReader.maximumByteCount + excess)
                #expect(try await client.get("\(path)/\(id)/entitlements").status == status)
                let cursor = String(
                    repeating: "1", count: QueryParameters.cursorByteCount - 2 + excess)
                let page = try await client.get("\(path)/a/subscriptions?after=\(cursor)~b")
                #expect(page.status == status)
            }
        }
    }

    // MARK: Batches

    private func batch(_ customers: [String]) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.array("customers", customers) }
        return json.bytes
    }

    @Test("Up to the limit customers are answered, one more and an invalid list are refused")
    func batchBound() async throws {
        let cases = [
            ("", "malformedJSON"), ("{}", "invalidBody"), ("[]", "invalidBody"),
            ("{\"customers\":{}}", "invalidBody"), ("{\"customers\":[1]}", "invalidBody"),
            ("{\"customers\":[\"\"]}", "invalidCustomer"),
            ("{\"customers\":[\"a\\u0000\"]}", "invalidCustomer"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for excess in 0...1 {
                let names = (0..<CustomersBody.customerCount + excess).map { number in
                    String(repeating: "c", count: CommandLimits.customerByteCount - 6)
                        + String(100_000 + number)
                }
                let answer = try await client.post("/v1/customers:entitlements", batch(names))
                #expect(answer.status == (excess == 0 ? 200 : 400), "\(excess)")
                #expect(answer.code == (excess == 0 ? nil : "tooManyCustomers"), "\(excess)")
                #expect(
                    answer.json["customers"]?.array?.count == (excess == 0 ? names.count : nil),
                    "\(excess)")
            }
            for (body, code) in cases {
                let answer = try await client.post("/v1/customers:entitlements", Array(body.utf8))
                #expect(answer.status == 400 && answer.code == code, "\(body)")
            }
        }
    }
}
