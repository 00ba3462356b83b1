import AppStore
import Simulator
import Testing

struct AdversityTests {
    static let life = SubscriberWorld().life(seed: 3)

    @Test("No order, repetition, delay or batch loses or invents a delivery")
    func nothingLost() {
        let deliveries = Self.life.deliveries
        var adversity = Adversity(seed: 1)
        #expect(Set(adversity.shuffled(deliveries)) == Set(deliveries))
        #expect(adversity.shuffled(deliveries).count == deliveries.count)
        let repeated = adversity.repeated(deliveries, percent: 100)
        #expect(repeated.count == 2 * deliveries.count)
        #expect(Set(repeated.map(\.ordinal)) == Set(deliveries.map(\.ordinal)))
        #expect(Set(repeated.map(\.evidence)) == Set(deliveries.map(\.evidence)))
        let batches = adversity.batches(deliveries, most: 3)
        #expect(batches.flatMap { $0 } == deliveries)
        #expect(batches.allSatisfy { (1...3).contains($0.count) })
    }

    @Test("A delayed notification comes at one of Apple's later attempts, in order of arrival")
    func delays() throws {
        let deliveries = Self.life.deliveries
        // The second to sixth attempts: 1, 12, 24, 48 and 72 hours, each after the one before.
        let attempts = Set([1, 13, 37, 85, 157].map { (hours: Int64) in hours * 3_600_000 })
        var seen: Set<Int64> = []
        for seed in UInt64(2)...11 {
            var adversity = Adversity(seed: seed)
            let delayed = adversity.delayed(deliveries, percent: 100)
            #expect(delayed.map(\.receivedAt) == delayed.map(\.receivedAt).sorted())
            for delivery in delayed {
                let before = try #require(deliveries.first { $0.ordinal == delivery.ordinal })
                let delay = delivery.receivedAt.milliseconds(since: before.receivedAt)
                guard case .notification = delivery.evidence else {
                    #expect(delay == 0)
                    continue
                }
                seen.insert(delay)
            }
        }
        #expect(seen == attempts)
    }

    @Test("An echo has the content of a notification, under an ordinal of its own")
    func echoes() {
        let deliveries = Self.life.deliveries
        var adversity = Adversity(seed: 3)
        let echoed = adversity.echoed(deliveries, percent: 100)
        let echoes = echoed.dropFirst(deliveries.count)
        #expect(!echoes.isEmpty)
        #expect(Set(echoed.map(\.ordinal)).count == echoed.count)
        let said = Set(deliveries.compactMap(\.transaction))
        #expect(echoes.allSatisfy { echo in echo.transaction.map(said.contains) == true })
    }

    @Test("The same seed gives the same result")
    func determinism() {
        var (one, two) = (Adversity(seed: 4), Adversity(seed: 4))
        #expect(one.wild(Self.life.deliveries) == two.wild(Self.life.deliveries))
    }
}
