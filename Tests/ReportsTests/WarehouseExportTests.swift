import AppStore
import Foundation
import Ledger
import LedgerTestSupport
import Projection
import Queries
import Reports
import Signing
import TestSupport
import Testing

@Suite("Append-only exports")
struct WarehouseExportTests {
    private static let lateChain = MadeChain(id: "650000000000001")
    private static let plainChain = MadeChain(
        id: "650000000000002", product: "com.example.other")
    private let late = WarehouseExportTests.lateChain
    private let plain = WarehouseExportTests.plainChain

    /// The end of one life arrives after all of another, and its middle last.
    private static let shared = SharedLedger { ledger in
        let (late, plain) = (lateChain, plainChain)
        var renewal = late.renewed(1)
        renewal.receivedAt = plain.expired(1).receivedAt.advanced(byMilliseconds: 86_400_000)
        _ = try await ledger.ingest(
            [late.bought(), late.turnedOff(1), late.expired(1)] + plain.life + [renewal])
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func export(
        _ ledger: TemporaryLedger, _ subject: WarehouseSubject, _ format: Export.Format = .ndjson,
        after: Int64 = 0, through: Int64 = .max
    ) async throws -> String {
        try await ledger.session { session in
            try await export(session, subject, format, after: after, through: through)
        }
    }

    private func export(
        _ session: LedgerSession, _ subject: WarehouseSubject, _ format: Export.Format,
        after: Int64 = 0, through: Int64 = .max, zone: String = "UTC"
    ) async throws -> String {
        var export = try #require(
            WarehouseExport(snapshot: session.snapshot, reportTimeZone: zone))
        (export.after, export.through) = (after, through)
        var bytes: [UInt8] = []
        try await export.run(subject, format: format) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func lines(_ text: String) throws -> [JSONValue] {
        try text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    }

    @Test(
        "Resumed after any position, the lines equal those of a single run after it",
        arguments: WarehouseSubject.allCases)
    func resumed(_ subject: WarehouseSubject) async throws {
        try await taken().session { session in
            for format in Export.Format.allCases {
                let whole = try await export(session, subject, format)
                #expect(!whole.isEmpty)
                for position in 0...8 as ClosedRange<Int64> {
                    let before = try await export(session, subject, format, through: position)
                    let after = try await export(session, subject, format, after: position)
                    #expect(
                        before + (position == 0 && format != .ndjson ? "" : after) == whole
                            || position == 0 && after == whole)
                }
            }
        }
    }

    @Test(
        "Later events add lines without changing written ones",
        arguments: WarehouseSubject.allCases)
    func appended(_ subject: WarehouseSubject) async throws {
        var early = try await taken()
        let before = try await export(early, subject)
        var more = MadeChain(id: "650000000000003")
        more.storefront = "DEU"
        early.now = TemporaryLedger.end
        _ = try await early.ingest(
            more.life + [late.renewed(2), plain.renewed(2)])
        let after = try await export(early, subject)
        #expect(after.hasPrefix(before) && after.count > before.count)
    }

    @Test("Every line has a sign, and the sum is the current state of the ledger")
    func sums() async throws {
        let ledger = try await taken()
        var stated: [String: Int64] = [:]
        for line in try lines(try await export(ledger, .transitions)) {
            let key = ["originalTransactionId", "at", "from", "to", "reason", "productId"]
                .map { line[$0]?.string ?? "-" }.joined(separator: " ")
            stated[key, default: 0] += line["sign"]?.int64 ?? 0
        }
        #expect(stated.values.allSatisfy { $0 == 0 || $0 == 1 })
        #expect(stated.values.contains(0))
        let now = try await ledger.exportLines(.transitions).map { line in
            ["originalTransactionId", "at", "from", "to", "reason", "productId"]
                .map { line[$0]?.string ?? "-" }.joined(separator: " ")
        }
        #expect(stated.filter { $0.value == 1 }.keys.sorted() == now.sorted())
    }

    @Test("Every value is under its column, and days are those of the report zone")
    func literal() async throws {
        // given
        let ledger = try TemporaryLedger()
        var chain = MadeChain(id: "650000000000006")
        // In Tokyo the next day.
        chain.start = chain.start.advanced(byMilliseconds: 8 * 3_600_000)
        let offered = chain.bought().withTransaction {
            $0.offerType = Raw(.promotionalOffer)
            $0.offerIdentifier = "spring"
        }
        _ = try await ledger.ingest([offered, chain.renewed(1)])
        // when
        var stated: [JSONValue] = []
        var rules: Set<String> = []
        try await ledger.session { session in
            for subject in WarehouseSubject.allCases {
                let text = try await export(session, subject, .ndjson, zone: "Asia/Tokyo")
                stated += try lines(text).map {
                    $0.without("reducerVersion", "catalogueHash", "rules")
                }
            }
            for zone in ["UTC", "Asia/Tokyo"] {
                let export = try #require(
                    WarehouseExport(snapshot: session.snapshot, reportTimeZone: zone))
                rules.insert(export.rules(.daily))
            }
        }
        // then
        let bought = #""position":1,"knownAt":"2026-01-10T20:00:04.000Z""#
        let renewed = #""position":2,"knownAt":"2026-02-09T20:00:06.000Z""#
        let chainText =
            #""sign":1,"environment":"Production","bundleId":"com.example.app","#
            + #""originalTransactionId":"650000000000006""#
        let product = #""productId":"com.example.pro.monthly""#
        let expected = [
            #"{\#(renewed),\#(chainText),"at":"2026-02-09T20:00:00.000Z","fact":"renewed","#
                + #"\#(product),"transactionId":"6500000000000061"}"#,
            #"{\#(bought),\#(chainText),"at":"2026-01-10T20:00:00.000Z","from":null,"#
                + #""to":"subscribed","reason":null,"gain":"new","isCounted":true,\#(product),"#
                + #""group":"pro","storefront":"USA","currency":"USD","#
                + #""offer":"promotional/spring","phase":"offer","ownership":"purchased","#
                + #""annualisedMilliunits":119880}"#,
            #"{\#(bought),\#(chainText),"day":"2026-01-11","metric":"churn","column":"new","#
                + #""unit":"count",\#(product),"storefront":"USA","currency":null,"amount":1,"#
                + #""timeZone":"Asia/Tokyo"}"#,
            #"{\#(renewed),\#(chainText),"day":"2026-02-10","metric":"revenue","#
                + #""column":"gross","unit":"milliunits",\#(product),"storefront":"USA","#
                + #""currency":"USD","amount":9990,"timeZone":"Asia/Tokyo"}"#,
        ]
        for text in expected {
            let line = try JSONValue.parse(Array(text.utf8))
            #expect(stated.contains(line), "\(text)")
        }
        #expect(rules.count == 2)
    }

    @Test("A period whose offer differs in a length that no column has is not a transition")
    func offerLength() async throws {
        // given
        let ledger = try TemporaryLedger()
        let chain = MadeChain(id: "650000000000005")
        func offered(_ delivery: MadeDelivery, _ length: String) -> MadeDelivery {
            delivery.withTransaction {
                $0.offerType = Raw(.introductoryOffer)
                $0.offerDiscountType = Raw(.payAsYouGo)
                $0.offerPeriod = length
            }
        }
        _ = try await ledger.ingest([
            offered(chain.bought(), "P1M"), offered(chain.renewed(1), "P1M"),
            offered(chain.renewed(2), "P3M"),
        ])
        // when
        let stated = try lines(try await export(ledger, .transitions))
        // then
        #expect(stated.contains { $0["to"]?.string == "renewing" })
        #expect(!stated.contains { $0["from"]?.string == $0["to"]?.string })
    }

    /// One life with everything in daily lines: a trial, an upgrade, auto-renew off and on, a
    /// refund that is reversed, a purchase without a price, and a return after an end.
    private func eventful() -> [MadeDelivery] {
        let chain = MadeChain(id: "650000000000004")
        func later(_ period: Int, days: Int64) -> Timestamp {
            chain.start(period).advanced(byMilliseconds: days * 86_400_000)
        }
        let trial = chain.bought().asTrial
        func upgraded(_ delivery: MadeDelivery, revoked: Timestamp? = nil) -> MadeDelivery {
            delivery.withTransaction {
                $0.productId = ProductId("com.example.other")
                $0.revocationDate = revoked
            }
        }
        let on = chain.notification(
            .didChangeRenewalStatus, .autoRenewEnabled, 1, at: later(1, days: 12))
        let refund = chain.notification(.refund, nil, 1, at: later(1, days: 13))
        let reversal = chain.notification(.refundReversed, nil, 1, at: later(1, days: 14))
        let back = chain.notification(.subscribed, .resubscribe, 3, at: later(3, days: 1))
            .withTransaction {
                $0.transactionReason = Raw(.purchase)
                ($0.price, $0.currency) = (nil, nil)
            }
        return [
            trial, upgraded(chain.renewed(1)), upgraded(chain.turnedOff(1)), upgraded(on),
            upgraded(refund, revoked: later(1, days: 13)), upgraded(reversal),
            upgraded(chain.expired(1)), back,
        ]
    }

    @Test(
        "Every metric's daily lines sum up to every column of its row, and there are no others")
    func days() async throws {
        var ledger = try await taken()
        _ = try await ledger.ingest(eventful())
        ledger.now = TemporaryLedger.end
        var sums: [String: Int64] = [:]
        for line in try lines(try await export(ledger, .daily)) {
            #expect(line["timeZone"]?.string == "UTC")
            let key = ["metric", "column", "day"].map { line[$0]?.string ?? "-" }
                .joined(separator: " ")
            sums[key, default: 0] += line["amount"]?.int64 ?? 0
        }
        var words = MetricParameters()
        (words.from, words.to, words.interval) = ("2026-01-01", "2026-06-01", "day")
        let names = [
            "starts", "renewals", "reactivations", "auto-renew", "product-changes", "refunds",
            "revenue",
        ]
        var expected: [String: Int64] = [:]
        for (name, rows) in try await ledger.metrics({ [words] query in
            var reported: [(String, [(Timestamp, [String: Int64])])] = []
            for name in names {
                let report = try await query.metric(try MetricName(name), words)
                reported.append((name, report.rows.map { ($0.from, $0.amounts) }))
            }
            let churn = try await query.churn(words).rows.map { row in
                var columns: [String: Int64] = [:]
                for gain in Gain.allCases { columns[gain.rawValue] = row[.gained(gain)] }
                for reason in EndReason.allCases {
                    columns["churned.\(reason.rawValue)"] = row[.churned(reason)]
                }
                return (row.from, columns)
            }
            return reported + [("churn", churn)]
        }) {
            var amount: Int64 = 0
            for (from, columns) in rows {
                for (column, value) in columns where value != 0 {
                    expected["\(name) \(column) \(from.rfc3339.prefix(10))", default: 0] += value
                    amount += 1
                }
            }
            // A metric without data would prove nothing.
            #expect(amount > 0, "\(name)")
        }
        // Moves between products cancel out in total.
        let moves = sums.filter { $0.key.hasPrefix("churn moved") }
        #expect(moves.filter { $0.key.contains("In") }.values.reduce(0, +) == 1)
        for key in moves.keys { sums[key] = nil }
        #expect(sums.filter { $0.value != 0 } == expected)
    }

    @Test(
        "The digest of the rules is of columns, reducer, decoder and catalogue",
        arguments: [WarehouseSubject.facts, .transitions])
    func rules(_ subject: WarehouseSubject) async throws {
        try await taken().session { session in
            let export = try #require(
                WarehouseExport(snapshot: session.snapshot, reportTimeZone: "UTC"))
            var parts = subject.columns
            parts += ["\(Lifecycle.reducerVersion)", "\(Fact.decoderVersion)"]
            parts.append(session.ledger.catalogueHash.hexadecimal)
            let digest = SHA256.hash(Array(parts.joined(separator: "\n").utf8)).hexadecimal
            let rules = export.rules(subject)
            #expect(digest.hasPrefix(rules) && !rules.isEmpty)
        }
    }

    @Test(
        "Every column is in every line, in the table's header, and in the documentation",
        arguments: WarehouseSubject.allCases)
    func columns(_ subject: WarehouseSubject) async throws {
        let ledger = try await taken()
        for line in try lines(try await export(ledger, subject)) {
            #expect(line.keys == subject.columns)
        }
        let rows = CommaSeparated.rows(try await export(ledger, subject, .csv))
        #expect(rows.first == subject.columns)
        #expect(rows.allSatisfy { $0.count == subject.columns.count })
        let page = try String(
            contentsOf: Fixtures.repository.appending(
                path: "Sources/Reports/Reports.docc/Warehouse.md"), encoding: .utf8)
        for column in subject.columns { #expect(page.contains("| `\(column)` |"), "\(column)") }
    }
}
