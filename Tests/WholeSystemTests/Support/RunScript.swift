import AppStore
import LedgerTestSupport
import Simulator

/// The faults of a run: drawn from its seed before it begins.
struct RunScript: Sendable {
    var deliveries = DeliveryFaults()
    var api: [ServedFaultRule] = []
    /// Steps at which the serving process ends.
    var crashes: [Int] = []
    /// The clock error of the ledger's machine, milliseconds.
    var clockError: Int64 = 0
    /// Per 100 steps, the number after which the projections are updated.
    var projecting = 0
    /// The interval between recoveries, milliseconds.
    var recoveryInterval: Int64 = 0

    /// Whether the files exist at the start: creating them takes as long as the rest of a run.
    var beginsPrepared = true

    /// Whether Apple's history returns notifications byte for byte; otherwise it signs the same
    /// payload again.
    var isSignedOnce = true
    /// Whether the second of the last two recoveries requests all that Apple still keeps.
    var endsWithFullWindow = false

    /// Whether the last recovery is repeated, which must change nothing.
    var endsTwice = false

    /// Delay before a failed recovery is retried.
    static let secondTry: Int64 = 6 * 3_600_000
    /// Quiet time before the last recovery, milliseconds.
    static let quietEnd: Int64 = 2 * 86_400_000
    /// Maximum number of events in a run (arrivals, uploads, recoveries); beyond it the run does
    /// not end.
    static let happeningLimit = 1_500
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    init(_ random: inout SeededGenerator, _ world: SmallWorld, seed: UInt64) {
        deliveries.chance = RandomDeliveryFaults(seed: seed, isRough: random.chance(75))
        if let span = world.books.sentSpan {
            for _ in 0..<random.below(4) {
                deliveries.outages.append(RunScript.outage(&random, span, world))
            }
        }
        for _ in 0..<random.below(5) { api.append(RunScript.fault(&random)) }
        var step = 0
        for _ in 0..<random.below(4) {
            step += 1 + random.below(120)
            crashes.append(step)
        }
        if random.chance(25) { clockError = random.within(-15 * 60_000...15 * 60_000) }
        projecting = random.pick([0, 5, 20])
        let longest = world.windowMilliseconds / 5 * 4
        recoveryInterval = random.within(longest / 2...longest)
        beginsPrepared = !random.chance(10)
        isSignedOnce = random.chance(75)
        endsWithFullWindow = random.chance(10)
        endsTwice = random.chance(20)
    }

    /// Minutes to weeks, beginning around the time when something is sent.
    private static func outage(
        _ random: inout SeededGenerator, _ span: ClosedRange<Timestamp>, _ world: SmallWorld
    ) -> DeliveryOutage {
        let scale: Int64 = random.pick([10 * 60_000, 3 * hour, 2 * day, 20 * day])
        let from = Timestamp(
            milliseconds: random.within(
                span.lowerBound.milliseconds - scale / 2...span.upperBound.milliseconds))
        let length = random.within(scale / 4...scale)
        return DeliveryOutage(
            from...from.advanced(byMilliseconds: length),
            status: random.chance(50) ? random.pick([500, 502, 503]) : nil)
    }

    /// Any fault of the API, applied to a few requests early or late.
    private static func fault(_ random: inout SeededGenerator) -> ServedFaultRule {
        let fault: ServedFault = random.pick([
            .rateLimited(milliseconds: random.within(200...90_000)),
            .error(4_000_017), .error(4_000_014), .error(5_000_000), .error(5_000_001),
            .status(random.pick([401, 500, 502, 503, 504])), .dropped, .half,
            .slow(milliseconds: random.within(100...40_000)), .badSignature, .anotherApp, .loop,
            .barren, .clock(milliseconds: random.within(-3_600_000...3_600_000)), .garbage,
            .oversized(byteCount: 4 * 1_024 * 1_024 + 1),
        ])
        return ServedFaultRule(
            fault, only: nil, from: 1 + random.below(12), count: 1 + random.below(4),
            every: 1 + random.below(3))
    }
}
