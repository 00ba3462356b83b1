import AppStore
import LedgerTestSupport
import Simulator
import Testing

/// Apple's deliveries over virtual time (App Store Server Notifications, Responding).
@Suite("The notifier")
struct NotifierTests {
    static let world = SubscriberWorld()
    static let hour: Int64 = 3_600_000

    static func books(
        _ environment: Environment = .production, seeds: Range<UInt64> = 0..<12
    ) -> ServedRecords {
        ServedRecords(seeds.map { world.life(seed: $0) }, of: world, in: environment)
    }

    /// Every step of a run in which the receiver responds according to `answer`.
    static func steps(
        _ notifier: inout Notifier, _ answer: (Notifier.Step) -> AttemptResult = { _ in .success }
    ) -> [Notifier.Step] {
        var steps: [Notifier.Step] = []
        while let step = notifier.next() {
            steps.append(step)
            notifier.complete(step, step.obstacle ?? answer(step))
        }
        return steps
    }

    static func faults(_ rules: [DeliveryFaultRule]) -> DeliveryFaults {
        var faults = DeliveryFaults()
        faults.rules = rules
        return faults
    }

    @Test("Without faults every notification is sent once, in order of arrival")
    func undisturbed() {
        let books = Self.books()
        var notifier = Notifier(books: books)
        let steps = Self.steps(&notifier)
        #expect(steps.count == books.sentCount && books.sentCount > 50)
        #expect(steps.map(\.arrival) == steps.map(\.arrival).sorted())
        #expect(steps.allSatisfy { $0.number == 1 && $0.obstacle == nil })
        #expect(steps.allSatisfy { (80...4_000).contains($0.arrival.milliseconds(since: $0.date)) })
        #expect(notifier.tally.handedOver == steps.count)
        #expect(notifier.attempts.failedCount == 0)
        #expect(notifier.nextArrival == nil)
    }

    @Test("Undelivered notifications are retried after 1, 12, 24, 48 and 72 hours, then given up")
    func schedule() {
        let books = Self.books(seeds: 0..<1)
        var notifier = Notifier(books: books)
        let steps = Self.steps(&notifier) { _ in AttemptResult(status: 503) }
        #expect(steps.count == books.sentCount * 6)
        let first = steps.filter { $0.number == 1 }.map(\.date)
        for (number, sum) in [(2, 1), (3, 13), (4, 37), (5, 85), (6, 157)] as [(Int, Int64)] {
            let dates = steps.filter { $0.number == number }.map(\.date).sorted()
            #expect(dates == first.map { $0.advanced(byMilliseconds: sum * Self.hour) }.sorted())
        }
        #expect(notifier.tally.givenUp == books.sentCount)
        #expect(notifier.attempts.failedCount == books.sentCount)
    }

    @Test("An attempt that nothing listens to is not handed over; one that is cut off is")
    func unheard() {
        let books = Self.books(.sandbox, seeds: 0..<60)
        let counts: [(AttemptResult, Int)] = [
            (.noResponse, 0), (.prematureClose, books.sentCount), (.timedOut, books.sentCount),
            (AttemptResult(status: 503), books.sentCount),
        ]
        for (answer, count) in counts {
            var notifier = Notifier(books: books)
            _ = Self.steps(&notifier) { _ in answer }
            #expect(notifier.tally.handedOver == count)
            #expect(notifier.tally.failed == books.sentCount && books.sentCount > 0)
        }
    }

    @Test("Sandbox makes one attempt")
    func sandbox() {
        let books = Self.books(.sandbox, seeds: 0..<60)
        var notifier = Notifier(books: books)
        let steps = Self.steps(&notifier) { _ in .timedOut }
        #expect(books.sentCount > 0)
        #expect(steps.count == books.sentCount)
        #expect(notifier.tally.givenUp == books.sentCount)
    }

    @Test("The sixth attempt is the last, the fifth is not")
    func bounds() {
        let start = Timestamp(milliseconds: 0)
        #expect(DeliverySchedule.attemptLimit == 6)
        #expect(DeliverySchedule.next(after: 0, at: start, in: .production) == nil)
        #expect(
            DeliverySchedule.next(after: 5, at: start, in: .production)?.milliseconds
                == 72 * Self.hour)
        #expect(DeliverySchedule.next(after: 6, at: start, in: .production) == nil)
        #expect(DeliverySchedule.next(after: 1, at: start, in: .sandbox) == nil)
    }

    @Test(
        "200 to 206 is a success, everything else is not",
        arguments: [199, 200, 206, 207, 301, 503])
    func statuses(status: Int) {
        let expected: AttemptResult =
            (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
        #expect(AttemptResult(status: status) == expected)
    }

    @Test("An outage stops every attempt started in it, both ends included")
    func outage() throws {
        let books = Self.books()
        let span = try #require(books.sentSpan)
        let middle = span.lowerBound.advanced(byMilliseconds: 60 * 24 * Self.hour)
        let window = middle...middle.advanced(byMilliseconds: 200 * 24 * Self.hour)
        var faults = DeliveryFaults()
        faults.outages = [DeliveryOutage(window, status: 503)]
        var notifier = Notifier(books: books, faults: faults)
        var met = 0
        for step in Self.steps(&notifier) {
            let isIn = window.contains(step.date)
            #expect((step.obstacle == .unsuccessfulHTTPResponseCode) == isIn)
            met += isIn ? 1 : 0
        }
        #expect(met > 0)
        #expect(notifier.attempts.failedCount > 0)
    }

    @Test("Each fault affects the attempts its rule selects, and no other")
    func rules() throws {
        let books = Self.books()
        func steps(_ fault: DeliveryFault) -> ([Notifier.Step], Notifier) {
            var rule = DeliveryFaultRule(fault)
            (rule.from, rule.count, rule.every) = (3, 2, 4)
            var notifier = Notifier(books: books, faults: Self.faults([rule]))
            return (Self.steps(&notifier), notifier)
        }
        let (lost, lostNotifier) = steps(.lost)
        #expect(lost.count == books.sentCount)
        #expect(lostNotifier.tally.lost == 2)
        #expect(lostNotifier.attempts.failedCount == 0)
        let (twice, twiceNotifier) = steps(.duplicated(milliseconds: 5_000))
        #expect(twice.count == books.sentCount + 2)
        #expect(twiceNotifier.tally.handedOver == books.sentCount + 2)
        let (dropped, droppedNotifier) = steps(.dropped)
        #expect(dropped.count == books.sentCount + 2)
        #expect(droppedNotifier.tally.handedOver == books.sentCount + 2)
        #expect(droppedNotifier.tally.failed == 2)
        let (refused, refusedNotifier) = steps(.refused(status: 502))
        #expect(refused.count == books.sentCount + 2)
        #expect(refusedNotifier.tally.handedOver == books.sentCount)
        let (late, _) = steps(.late(milliseconds: 90 * 24 * Self.hour))
        #expect(late.count == books.sentCount)
        #expect(late.map(\.arrival) == late.map(\.arrival).sorted())
    }

    @Test("A reordered notification arrives just after its successor")
    func reordered() {
        let books = Self.books()
        var plain = Notifier(books: books)
        var rule = DeliveryFaultRule(.reordered)
        (rule.from, rule.count) = (2, 1)
        var other = Notifier(books: books, faults: Self.faults([rule]))
        let before = Self.steps(&plain).map(\.date)
        var after = Self.steps(&other).map(\.date)
        #expect(before != after)
        after.swapAt(1, 2)
        #expect(before == after)
    }

    @Test("A rule may be for one type, and for more than the first attempt")
    func types() {
        let books = Self.books()
        var rule = DeliveryFaultRule(.unreachable)
        (rule.only, rule.count, rule.attempts) = (.didRenew, 1, 6)
        var notifier = Notifier(books: books, faults: Self.faults([rule]))
        let steps = Self.steps(&notifier)
        #expect(steps.count == books.sentCount + 5)
        #expect(notifier.tally.givenUp == 1)
        #expect(notifier.attempts.failedCount == 1)
    }

    @Test("Random faults follow from their seed, and every kind occurs")
    func chance() {
        let books = Self.books(seeds: 0..<80)
        func run(_ seed: UInt64) -> ([Timestamp], Notifier.Tally) {
            var faults = DeliveryFaults()
            faults.chance = RandomDeliveryFaults(seed: seed, isRough: true)
            var notifier = Notifier(books: books, faults: faults)
            return (Self.steps(&notifier).map(\.arrival), notifier.tally)
        }
        let (one, two, other) = (run(1), run(1), run(2))
        #expect(one == two)
        #expect(one.0 != other.0)
        #expect(one.1.lost > 0 && one.1.failed > 0)
        #expect(one.1.handedOver > books.sentCount - one.1.lost)
    }

    @Test("A run sets the time of each arrival first, posts a body, and stops at its end")
    func run() async throws {
        let books = Self.books(seeds: 0..<2)
        let span = try #require(books.sentSpan)
        let end = span.upperBound.advanced(byMilliseconds: -1)
        var notifier = Notifier(books: books)
        var (now, count) = (Timestamp(milliseconds: 0), 0)
        func take(_ body: [UInt8], _ step: Notifier.Step) throws -> AttemptResult {
            #expect(step.arrival == now)
            let token = try JSONValue.parse(body)["signedPayload"]?.string
            #expect(token?.split(separator: ".").count == 3)
            count += 1
            return .success
        }
        try await notifier.run(
            until: end, signedBy: TestAuthority.signer, reach: { now = $0 },
            deliver: { try take($0, $1) })
        #expect(count > 0 && count < books.sentCount)
        #expect(notifier.nextArrival.map { $0 > end } == true)
    }

    @Test(
        "An invalid script is reported with its rule and the reason",
        arguments: [
            "{}", "[{}]", "[{\"fault\":\"lost\",\"x\":1}]", "[{\"fault\":\"late\"}]",
            "[{\"fault\":\"refused\",\"status\":200}]", "[{\"fault\":\"lost\",\"from\":0}]",
            "[{\"fault\":\"lost\",\"type\":\"NOPE\"}]", "[{\"fault\":\"lost\",\"attempts\":0}]",
            "[{\"fault\":\"late\",\"milliseconds\":-1}]",
        ])
    func badScripts(text: String) {
        #expect(throws: FaultScriptProblem.self) {
            try DeliveryFaultRule.script(Array(text.utf8))
        }
    }

    @Test("A script names faults and the attempts they affect")
    func script() throws {
        let text = """
            [{"fault":"refused","status":599,"type":"DID_RENEW","from":2,"count":3,"every":4,
              "attempts":5},{"fault":"dropped"}]
            """
        var first = DeliveryFaultRule(.refused(status: 599))
        (first.only, first.from, first.count, first.every) = (.didRenew, 2, 3, 4)
        first.attempts = 5
        #expect(
            try DeliveryFaultRule.script(Array(text.utf8))
                == [first, DeliveryFaultRule(.dropped)])
    }
}
