import AppStore
import Ledger
import LedgerTestSupport
import Queries
import Simulator
import TestSupport
import Testing

@Suite("Queries")
struct ShowTests {
    private static let chain = MadeChain(appAccountToken: "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033")
    private var chain: MadeChain { ShowTests.chain }

    static let showKeys = [
        "environment", "bundleId", "originalTransactionId", "at", "knownAt", "position",
        "completeThrough", "reducerVersion", "catalogueHash", "state", "entitled", "appleStatus",
        "since", "until", "accessUntil", "willRenew", "productId", "nextProductId", "phase",
        "ownership", "appAccountToken", "price", "storefront", "transactionId", "offer",
        "commitment", "priceIncrease", "cancellation", "revocation", "notices", "evidence",
    ]

    private static let shared = SharedLedger { _ = try await $0.ingest(chain.life) }

    private func taken() async throws -> TemporaryLedger { try await ShowTests.shared.copy() }

    // MARK: Ids

    @Test("A chain is found by every transactionId it has")
    func anyTransactionId() async throws {
        let ledger = try await taken()
        let show = try await ledger.show(chain.id)
        #expect(show["originalTransactionId"]?.string == chain.id)
        // A query by a transaction's id first gives the standing of that transaction.
        let asked = try await ledger.show(chain.transactionId(1))
        #expect(asked.without("transaction") == show)
        #expect(asked["transaction"]?["transactionId"]?.string == chain.transactionId(1))
        #expect(asked["transaction"]?["standing"]?.string == "ended")
    }

    @Test("An unknown id is no subscription")
    func unknownId() async throws {
        let ledger = try await taken()
        for id in ["", "1", "' OR 1=1 --", "500000000000002"] {
            await #expect(throws: QueryError.noSuchSubscription(id)) { try await ledger.show(id) }
        }
    }

    @Test("An empty ledger answers that there is no such subscription")
    func emptyLedger() async throws {
        let ledger = try TemporaryLedger()
        await #expect(throws: QueryError.noSuchSubscription(chain.id)) {
            try await ledger.show(chain.id)
        }
    }

    @Test("What cannot be read, or states no purchase, is why a known id has no state")
    func stateless() async throws {
        for (isRead, reason) in [(true, "states no purchase"), (false, "cannot fold")] {
            var bought = try #require(chain.life.first)
            guard case .notification(let payload, var transaction, let renewal) = bought.evidence
            else { continue }
            transaction?.purchaseDate = nil
            bought.evidence = .notification(payload, isRead ? nil : transaction, renewal)
            let ledger = try TemporaryLedger()
            _ = try await ledger.ingest([bought])
            do {
                _ = try await ledger.show(chain.id)
                Issue.record("it has a state")
            } catch let error as QueryError {
                #expect(error.code == "noSuchSubscription" && error.message.contains(reason))
            }
        }
    }

    @Test("An unknown value without effect is not why a known id has no state")
    func statelessWithUnknownValue() async throws {
        let cases: [(reason: String, change: ((inout TransactionPayload) -> Void)?)] = [
            ("states no purchase", nil), ("cannot fold", { $0.expiresDate = nil }),
            (
                "value of transaction.type;",
                {
                    $0.type = Raw(rawValue: "Rental")
                    $0.expiresDate = nil
                }
            ),
        ]
        for (reason, change) in cases {
            var deliveries = [chain.bought(), chain.renewed(1)]
            for index in deliveries.indices {
                guard
                    case .notification(let payload, var transaction?, var renewal?) =
                        deliveries[index].evidence
                else { continue }
                renewal.expirationIntent = Raw(rawValue: 99)
                change?(&transaction)
                // The first one states no purchase.
                let isStated = change != nil && index > 0
                deliveries[index].evidence = .notification(
                    payload, isStated ? transaction : nil, renewal)
            }
            let ledger = try TemporaryLedger()
            _ = try await ledger.ingest(deliveries)
            do {
                _ = try await ledger.show(chain.id)
                Issue.record("it has a state")
            } catch let error as QueryError {
                #expect(error.message.contains(reason), "\(error.message)")
            }
        }
    }

    @Test("An id of two apps is ambiguous until the app is given")
    func ambiguous() async throws {
        let other = MadeChain(id: chain.id, bundleId: "com.example.other")
        let ledger = try TemporaryLedger(apps: [MadeChain.app, other.bundleId])
        _ = try await ledger.ingest(chain.life + other.life)
        do {
            _ = try await ledger.show(chain.id)
            Issue.record("an ambiguous id was answered")
        } catch let error as QueryError {
            #expect(error.code == "ambiguousId")
            #expect(error.message.contains("\(other.id) of \(other.bundleId)"))
        }
        let show = try await ledger.show(chain.id, bundleId: other.bundleId)
        #expect(show["bundleId"]?.string == other.bundleId)
        await #expect(throws: QueryError.noSuchSubscription(chain.id)) {
            try await ledger.show(chain.id, bundleId: "com.example.third")
        }
    }

    @Test("A transaction is found where another app has its id as an originalTransactionId")
    func otherApps() async throws {
        let other = MadeChain(id: chain.transactionId(1), bundleId: "com.example.other")
        let ledger = try TemporaryLedger(apps: [MadeChain.app, other.bundleId])
        _ = try await ledger.ingest(chain.life + other.life)
        let show = try await ledger.show(other.id, bundleId: MadeChain.app)
        #expect(show["originalTransactionId"]?.string == chain.id)
        let first = try await ledger.show(other.id)
        #expect(first["bundleId"]?.string == other.bundleId)
    }

    // MARK: Shape

    @Test("The answer has every key of the contract, null for unknown values")
    func keys() async throws {
        let ledger = try await taken()
        for at in [chain.start, chain.start(1), ledger.now] {
            let show = try await ledger.show(chain.id, at: at)
            #expect(Set(show.keys).isSuperset(of: ShowTests.showKeys))
            #expect(Set(show.keys).count == show.keys.count)
        }
    }

    @Test("Every value is of the contract's kind")
    func values() async throws {
        let ledger = try await taken()
        let show = try await ledger.show(chain.id, at: chain.start(1))
        let (from, until) = (chain.start(1).rfc3339, chain.start(2).rfc3339)
        let expected = """
            {"environment":"Production","bundleId":"\(MadeChain.app)","at":"\(from)",
            "knownAt":null,"position":4,"completeThrough":null,
            "reducerVersion":\(Lifecycle.reducerVersion),"state":"renewing","entitled":true,
            "appleStatus":1,"since":"\(from)","until":"\(until)","accessUntil":"\(until)",
            "phase":"standard","ownership":"purchased",
            "appAccountToken":"\(chain.appAccountToken ?? "")",
            "price":{"milliunits":9990,"currency":"USD"},
            "transactionId":"\(chain.transactionId(1))","notices":[]}
            """
        for member in try #require(JSONValue.parse(Array(expected.utf8)).object) {
            #expect(show[member.key] == member.value, "\(member.key)")
        }
        #expect(show["catalogueHash"]?.string?.count == 64)
    }

    @Test("A timeline holds the show object, its intervals and its entries with their causes")
    func timelineShape() async throws {
        let ledger = try await taken()
        let timeline = try await ledger.timeline(chain.id)
        #expect(timeline.keys == ["chain", "intervals", "entries"])
        #expect(timeline["chain"] == (try await ledger.show(chain.id)))
        for interval in try #require(timeline["intervals"]?.array) {
            #expect(interval.keys == ["state", "from", "to", "productId", "transactionId"])
        }
        let entries = try #require(timeline["entries"]?.array)
        #expect(entries.count == 5)
        for entry in entries {
            let keys = Set(entry.keys)
            #expect(keys.isSuperset(of: ["at", "kind", "from", "to", "fact", "cause"]))
            #expect(["state", "fact"].contains(entry["kind"]?.string))
            #expect((entry["kind"]?.string == "fact") == (entry["fact"]?.string != nil))
            #expect((entry["kind"]?.string == "state") == (entry["to"]?.string != nil))
            let causeKeys = Set(entry["cause"]?.keys ?? [])
            #expect(
                causeKeys.isSuperset(of: [
                    "position", "notificationType", "subtype", "notificationUUID", "signedDate",
                    "receivedAt", "lateness",
                ]))
            #expect(entry["cause"]?["lateness"]?.int64 == 1_000)
        }
    }

    @Test("Each entry has the event that proves it")
    func causes() async throws {
        let entries = try await taken().timeline(chain.id)["entries"]?.array ?? []
        let lines = entries.map { entry in
            let what = entry["fact"]?.string ?? entry["to"]?.string ?? ""
            let cause = entry["cause"]
            let type = cause?["notificationType"]?.string ?? ""
            return "\(what) \(cause?["position"]?.int64 ?? 0) \(type)"
        }
        #expect(
            lines == [
                "subscribed 1 SUBSCRIBED", "renewing 2 DID_RENEW", "renewed 2 DID_RENEW",
                "autoRenewDisabled 3 DID_CHANGE_RENEWAL_STATUS", "expired 4 EXPIRED",
            ])
        #expect(entries.last?["reason"]?.string == "voluntary")
    }

    // MARK: Moments

    @Test("Entries after the requested moment are neither listed nor counted")
    func later() async throws {
        let ledger = try await taken()
        let counts = try await [0, 1].asyncMap { period in
            try await ledger.timeline(chain.id, at: chain.start(period))["entries"]?.array?.count
        }
        #expect(counts == [1, 3])
        let before = chain.start(2).advanced(byMilliseconds: -1)
        #expect(try await ledger.show(chain.id, at: before)["state"]?.string == "renewing")
        #expect(try await ledger.show(chain.id, at: chain.start(2))["state"]?.string == "expired")
    }

    @Test("A moment before the first period has no subscription")
    func beforeTheFirst() async throws {
        let ledger = try await taken()
        let before = chain.start.advanced(byMilliseconds: -1)
        await #expect(
            throws: QueryError.unknownThen(
                chain.id, reason: "It begins on \(chain.start.rfc3339).")
        ) { try await ledger.show(chain.id, at: before) }
        #expect(try await ledger.show(chain.id, at: chain.start)["state"]?.string == "subscribed")
    }
}
