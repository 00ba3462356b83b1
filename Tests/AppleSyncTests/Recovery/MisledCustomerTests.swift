import AppStore
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import TestSupport
import Testing

@Suite("Customers about whom answers were wrong")
struct MisledCustomerTests {
    static let hour: Int64 = 3_600_000
    /// Sampling interval of answers.
    static let step = 12 * hour

    /// Everything that arrived live, except in an outage of ten days without retries by Apple,
    /// which was then recovered; once for the tests that read it.
    static let recovered = Task {
        let world = try await earlier(in: try TemporaryDirectory.shared())
        #expect(try await world.ledger.ingest(later()).isClean)
        let done = try await world.recover(RecoveryWorld.request(40, 30))
        return (world: world, report: done.report)
    }

    /// Only what arrived before the last 25 days.
    static func earlier(in directory: TemporaryDirectory? = nil) async throws -> RecoveryWorld {
        var world = try RecoveryWorld()
        world.ledger = try await template.value.copied(in: directory)
        return world
    }

    /// What arrived in the last 25 days.
    static func later() throws -> [[UInt8]] {
        try live.get().filter { $0.arrival >= split }.map(\.line)
    }

    private static let split = RecoveryWorld.days(25)

    /// Ingested once for all tests, which get copies.
    private static let template = Task {
        let world = try RecoveryWorld(in: try TemporaryDirectory.shared())
        let lines = try live.get().filter { $0.arrival < split }.map(\.line)
        let taken = try await world.ledger.ingest(lines)
        #expect(taken.isClean)
        // The copies are projected, too.
        try await world.ledger.session { _ in }
        return world.ledger
    }

    /// What arrived live, and when; signed once for all tests.
    private static let live = Result(catching: { try arrivals() })

    private static func arrivals() throws -> [(arrival: Timestamp, line: [UInt8])] {
        var faults = DeliveryFaults()
        faults.outages = [DeliveryOutage(RecoveryWorld.days(40)...RecoveryWorld.days(30))]
        var notifier = Notifier(books: RecoveryWorld.books, faults: faults)
        var lines: [(arrival: Timestamp, line: [UInt8])] = []
        let signer = DeliverySigner(authority: TestAuthority.shared, appAppleId: 1_234_567_890)
        while let step = notifier.next(), step.arrival < RecoveryWorld.now {
            notifier.complete(step, .success)
            guard step.obstacle == nil, step.number == 1 else { continue }
            let body = try JSONValue.parse(try notifier.body(step, signedBy: signer))
            var json = JSONWriter()
            json.object {
                $0.member("receivedAt", step.arrival.milliseconds)
                $0.member("signedPayload", body["signedPayload"]?.string ?? "")
            }
            lines.append((step.arrival, json.bytes))
        }
        return lines
    }

    /// For how long an entitlement was reported wrongly, by samples.
    private struct Sampled {
        var denied: [String: Int64] = [:]
        var granted: [String: Int64] = [:]
    }

    private func active(
        _ session: LedgerSession, _ customer: CustomerId, _ at: Timestamp, _ known: AsOf
    ) async throws -> Set<String> {
        let moment = Moment(at: at, now: RecoveryWorld.now, knowledge: known)
        let answer = try await session.snapshot.entitlements(of: customer, moment: moment)
        return Set(answer.entitlements.verdicts.filter(\.active).map(\.entitlement))
    }

    /// The answer at the time and the answer now.
    private func sample(
        _ session: LedgerSession, _ customer: CustomerId
    ) async throws -> Sampled {
        var sampled = Sampled()
        var time = RecoveryWorld.days(40)
        while time < RecoveryWorld.now {
            let then = try await active(session, customer, time, .knownAt(time))
            let truth = try await active(session, customer, time, .everything)
            for name in truth.subtracting(then) { sampled.denied[name, default: 0] += Self.step }
            for name in then.subtracting(truth) { sampled.granted[name, default: 0] += Self.step }
            time = time.advanced(byMilliseconds: Self.step)
        }
        return sampled
    }

    /// Customers of the chains with recovered events.
    private func affected(
        _ world: RecoveryWorld, _ session: LedgerSession
    ) async throws -> Set<CustomerId> {
        var ids: Set<String> = []
        for event in try await session.ledger.log.events(after: 0)
        where event.attributes.source == .history {
            if let chain = event.attributes.chain { ids.insert(chain.rawValue) }
        }
        var customers: Set<CustomerId> = []
        for id in ids {
            let reading = try await session.snapshot.reading(
                id, bundleId: RecoveryWorld.app,
                moment: Moment(at: RecoveryWorld.now, now: RecoveryWorld.now))
            let shown = try TemporaryLedger.json { reading.write(to: &$0) }
            guard let token = shown["appAccountToken"]?.string else { continue }
            customers.insert(CustomerId(token))
        }
        return customers
    }

    @Test("the reported duration is that of answers at the time that differ from what is known now")
    func durations() async throws {
        let (world, report) = try await Self.recovered.value
        #expect(report.newCount > 10)
        let reported = Dictionary(
            uniqueKeysWithValues: report.customers.map { ($0.customer, $0.entitlements) })
        #expect(reported.count > 3)
        try await world.ledger.session { session in
            let customers = try await affected(world, session).union(reported.keys)
            for customer in customers.sorted() {
                let sampled = try await sample(session, customer)
                for name in Set(sampled.denied.keys).union(sampled.granted.keys)
                    .union((reported[customer] ?? []).map(\.entitlement))
                {
                    let access = reported[customer]?.first { $0.entitlement == name }
                    let denied = (access?.deniedMilliseconds ?? 0) - (sampled.denied[name] ?? 0)
                    let granted = (access?.grantedMilliseconds ?? 0) - (sampled.granted[name] ?? 0)
                    // A sample stands for the hours after it.
                    #expect(abs(denied) <= Self.step, "\(customer) \(name)")
                    #expect(abs(granted) <= Self.step, "\(customer) \(name)")
                }
            }
        }
    }
}
