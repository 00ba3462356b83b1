public import AppStore
public import Ledger
public import LedgerStore
public import Projection
internal import Queries
internal import SQLiteStore

/// Compares a ledger with a story's `expected.json`. Ignores positions and evidence, which depend
/// on the order of arrival.
public struct StoryCheck: Sendable {
    private let expected: JSONValue

    /// The catalogue of all stories.
    public static let catalogue: Catalogue = {
        func product(_ level: Int, _ months: Int64) -> Catalogue.Product {
            Catalogue.Product(
                entitlements: ["pro"], group: "pro", level: level,
                period: ISO8601Period(months: months))
        }
        var catalogue = Catalogue()
        catalogue.products = [
            ProductId("com.example.pro.monthly"): product(1, 1),
            ProductId("com.example.team.monthly"): product(1, 1),
            ProductId("com.example.pro.yearly"): product(1, 12),
            ProductId("com.example.basic.monthly"): product(2, 1),
            ProductId("com.example.weekly"): Catalogue.Product(
                entitlements: ["pro"], group: "pro", level: 3, period: ISO8601Period(days: 7)),
            ProductId("com.example.pass"): Catalogue.Product(
                entitlements: ["pro"], duration: ISO8601Period(days: 30)),
        ]
        return catalogue
    }()

    /// A moment after everything in any story.
    public static let end = Timestamp(milliseconds: 4_102_444_800_000)

    public init(expected bytes: [UInt8]) throws(JSONError) {
        expected = try JSONValue.parse(bytes)
    }

    /// The differences, one sentence each; empty when the ledger matches the story.
    public func differences(_ session: LedgerSession) async throws(StoreError) -> [String] {
        guard let listed = expected["chains"]?.object else {
            return ["chains: the list is missing"]
        }
        var differences = try await unexpectedChains(session, besides: Set(listed.map(\.key)))
        for member in listed {
            let chains = try await session.ledger.facts.chains(OriginalTransactionId(member.key))
            let facts = try await session.ledger.facts.facts(of: chains).flatMap(\.1)
            let found = compare(session.ledger.life(of: facts), member.value)
            let answers = try await answers(member.key, member.value, session)
            differences += (found + answers).map { "\(member.key): \($0)" }
        }
        for member in expected["customers"]?.object ?? [] {
            let found = try await customer(member.key, member.value, session)
            differences += found.map { "customer \(member.key): \($0)" }
        }
        return differences
    }

    /// Chains of the ledger that the story does not list. Decisions about a customer are of no app.
    private func unexpectedChains(
        _ session: LedgerSession, besides expected: Set<String>
    ) async throws(StoreError) -> [String] {
        var found: [String] = []
        var last: ChainId?
        repeat {
            let page = try await session.ledger.facts.page(after: last)
            found += page.map(\.0).filter { !$0.bundleId.rawValue.isEmpty }
                .map(\.originalTransactionId.rawValue)
            last = page.last?.0
        } while last != nil
        return found.filter { !expected.contains($0) }.map { "\($0): an unexpected chain" }
    }

    // MARK: Lists

    private func compare(_ life: Lifecycle, _ expected: JSONValue) -> [String] {
        var differences: [String] = []
        func check(_ name: String, _ actual: [String], _ key: String, _ keys: [String]) {
            guard let list = expected[key]?.array else {
                differences.append("\(key): the list is missing")
                return
            }
            let wanted = list.map { item in
                item.string
                    ?? keys.map { item[$0].map(StoryCheck.text) ?? "null" }
                    .joined(separator: " ")
            }
            guard wanted != actual else { return }
            differences.append(
                "\(name)\n    expected: \(wanted.joined(separator: "\n              "))"
                    + "\n    actual:   \(actual.joined(separator: "\n              "))")
        }
        check(
            "intervals",
            life.intervals.map { interval in
                [
                    interval.state.rawValue, interval.from.rfc3339,
                    interval.to?.rfc3339 ?? "null", interval.productId?.rawValue ?? "null",
                    interval.transactionId.rawValue,
                ].joined(separator: " ")
            }, "intervals", ["state", "from", "to", "productId", "transactionId"])
        check(
            "facts",
            life.timelineEvents.map { "\($0.at.rfc3339) \($0.name.rawValue)" }.sorted(), "facts",
            ["at", "fact"])
        check(
            "transitions",
            life.transitions.map { transition in
                [
                    transition.at.rfc3339, transition.from?.rawValue ?? "null",
                    transition.to.rawValue, transition.reason?.rawValue ?? "null",
                ].joined(separator: " ")
            }, "transitions", ["at", "from", "to", "reason"])
        checkReasons(life, expected, &differences)
        checkNotices(life, expected, &differences)
        return differences
    }

    /// Compares the reasons of intervals: each is that of the transition that began its state,
    /// since `expected.json` states none for intervals.
    private func checkReasons(
        _ life: Lifecycle, _ expected: JSONValue, _ differences: inout [String]
    ) {
        let transitions = expected["transitions"]?.array ?? []
        for interval in life.intervals {
            let begun = transitions.last { transition in
                let at = transition["at"]?.string.flatMap { Timestamp(rfc3339: $0) }
                return at.map { $0 <= interval.from } ?? false
            }
            let (wanted, actual) = (begun?["reason"]?.string, interval.reason?.rawValue)
            guard wanted != actual else { continue }
            differences.append(
                "reason of the interval from \(interval.from.rfc3339): expected"
                    + " \(wanted ?? "null"), actual \(actual ?? "null")")
        }
    }

    private func checkNotices(
        _ life: Lifecycle, _ expected: JSONValue, _ differences: inout [String]
    ) {
        guard let wanted = expected["notices"]?.array?.compactMap(\.string) else {
            differences.append("notices: the list is missing")
            return
        }
        var codes = Set(
            life.notices.filter { $0.holds(at: StoryCheck.end) }.map(\.code.rawValue))
        if !wanted.contains(NoticeCode.lateDelivery.rawValue) {
            codes.remove(NoticeCode.lateDelivery.rawValue)
        }
        guard codes.sorted() != wanted.sorted() else { return }
        differences.append("notices: expected \(wanted.sorted()), actual \(codes.sorted())")
    }

    // MARK: Answers

    private func answers(
        _ id: String, _ expected: JSONValue, _ session: LedgerSession
    ) async throws(StoreError) -> [String] {
        guard let answers = expected["answers"]?.array else {
            // A story about customers may ask about them instead.
            return self.expected["customers"] == nil ? ["answers: the list is missing"] : []
        }
        return try await StoryCheck.compare(answers) { at throws(StoreError) in
            try await show(id, at: at, session)
        }
    }

    /// Compares the members of expected answers with the actual ones at their times; nil if there
    /// is none.
    static func compare(
        _ answers: [JSONValue], with actual: (Timestamp) async throws(StoreError) -> JSONValue?
    ) async throws(StoreError) -> [String] {
        var differences: [String] = []
        for answer in answers {
            guard let at = answer["at"]?.string.flatMap({ Timestamp(rfc3339: $0) }) else {
                differences.append("an answer has no valid `at`")
                continue
            }
            let actual = try await actual(at)
            if let state = answer["state"], state.isNull {
                if actual != nil { differences.append("\(at.rfc3339): unexpected state") }
                continue
            }
            guard let actual else {
                differences.append("\(at.rfc3339): missing state")
                continue
            }
            for member in answer.object ?? [] where member.key != "at" {
                StoryCheck.compare(
                    member.value, actual[member.key], "\(at.rfc3339) \(member.key)", &differences)
            }
        }
        return differences
    }

    private func show(
        _ id: String, at: Timestamp, _ session: LedgerSession
    ) async throws(StoreError) -> JSONValue? {
        let moment = Moment(at: at, now: StoryCheck.end)
        do throws(QueryError) {
            let reading = try await session.snapshot.reading(id, moment: moment)
            var json = JSONWriter()
            reading.write(to: &json)
            return try? JSONValue.parse(json.bytes)
        } catch {
            guard case .store(let failure) = error else { return nil }
            throw failure
        }
    }

    /// Compares objects by their expected members only; other values entirely.
    static func compare(
        _ expected: JSONValue, _ actual: JSONValue?, _ path: String,
        _ differences: inout [String]
    ) {
        if let members = expected.object, actual?.object != nil {
            for member in members {
                compare(
                    member.value, actual?[member.key], "\(path).\(member.key)", &differences)
            }
            return
        }
        guard expected != actual ?? .null else { return }
        differences.append(
            "\(path): expected \(text(expected)), actual \(actual.map(text) ?? "nothing")")
    }

    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.encoded(), as: UTF8.self)
    }
}
