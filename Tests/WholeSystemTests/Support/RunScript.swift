import AppStore
import Simulator

/// What goes wrong in a run: drawn from its seed before it begins.
struct RunScript: Sendable {
    var deliveries = DeliveryFaults()
    var api: [ServedFaultRule] = []
    /// Steps at which the process that serves the ledger ends.
    var crashes: [Int] = []
    /// How wrong the ledger's machine has its clock, milliseconds.
    var clockError: Int64 = 0
    /// Of 100 steps, after how many the projections are brought up to the log.
    var projecting = 0
    /// From one recovery to the next, milliseconds.
    var recoveryInterval: Int64 = 0

    /// Whether the files are there already: making them takes as long as the rest of a run.
    var beginsPrepared = true

    /// Whether Apple tells what it sent byte for byte; else it signs the same payload again.
    var isSignedOnce = true
    /// Whether the second of the last two recoveries asks for all that Apple still keeps.
    var endsWithFullWindow = false

    /// Whether the last recovery is asked for once more, which must change nothing.
    var endsTwice = false

    /// Recoveries that fail are tried again so much later.
    static let secondTry: Int64 = 6 * 3_600_000
    /// Before the last recovery nothing happens for so long, milliseconds.
    static let quietEnd: Int64 = 2 * 86_400_000
    /// Whatever happens more often than this in one run will not end: arrivals, uploads, recoveries.
    static let happeningLimit = 1_500
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    init(_ random: inout SeededGenerator, _ world: SmallWorld, seed: UInt64) {
        deliveries.chance = random.chance(75) ? .rough(seed: seed) : DeliveryChance(seed: seed)
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

    /// Minutes to weeks, beginning about when something is sent.
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

    /// Every fault the API knows, met by a few requests early or late.
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
            fault, endpoint: nil, from: 1 + random.below(12), count: 1 + random.below(4),
            every: 1 + random.below(3))
    }
}
