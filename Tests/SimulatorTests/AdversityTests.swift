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
    func delays() {
        let deliveries = Self.life.deliveries
        var adversity = Adversity(seed: 2)
        let delayed = adversity.delayed(deliveries, percent: 100)
        #expect(delayed.map(\.receivedAt) == delayed.map(\.receivedAt).sorted())
        var attempts: Set<Int64> = [0]
        for hours in DeliverySchedule.waitHours {
            attempts.insert((attempts.max() ?? 0) + hours * 3_600_000)
        }
        for delivery in delayed {
            let before = deliveries.first { $0.ordinal == delivery.ordinal }
            let delay = before.map { delivery.receivedAt.milliseconds(since: $0.receivedAt) }
            #expect(delay.map(attempts.contains) == true)
        }
    }

    @Test("An echo says what a notification said, under an ordinal of its own")
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

    @Test("The same seed does the same")
    func determinism() {
        var (one, two) = (Adversity(seed: 4), Adversity(seed: 4))
        #expect(one.wild(Self.life.deliveries) == two.wild(Self.life.deliveries))
    }
}
