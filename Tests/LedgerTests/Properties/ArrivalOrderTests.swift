import AppStore
import Ledger
import TestSupport
import Testing

/// `Lifecycle.md` §2: arrival order, duplicates and batching must not change a bit.
@Suite("Arrival order and repetition do not change a bit")
struct ArrivalOrderTests {
    private func life(_ facts: [Fact], _ environment: Environment = .production) -> Lifecycle {
        Lifecycle(facts, environment: environment, catalogue: Catalogue())
    }

    /// One in eleven orders of a life of more than five facts is tried in `make test`: coprime to
    /// their number, so that every fact is met at every place.
    private func isTried(_ order: Int, of story: Story) -> Bool {
        Soak.isOn || story.facts.count <= 5 || order.isMultiple(of: 11)
    }

    /// Calls `visit` with every order of the elements (Heap's algorithm).
    private func forEachOrder(_ elements: [Fact], _ visit: ([Fact]) -> Void) {
        var order = elements
        var counters = Array(repeating: 0, count: order.count)
        visit(order)
        var index = 0
        while index < order.count {
            if counters[index] < index {
                order.swapAt(index.isMultiple(of: 2) ? 0 : counters[index], index)
                visit(order)
                counters[index] += 1
                index = 0
            } else {
                counters[index] = 0
                index += 1
            }
        }
    }

    @Test("All orders of short lives", arguments: Story.all)
    func allOrders(_ story: Story) {
        let reported = life(story.facts, story.environment)
        let moments = Picture.moments(story.facts, reported)
        let expected = Picture(reported, moments: moments)
        var orders = 0
        var differing = 0
        forEachOrder(story.facts) { facts in
            orders += 1
            guard isTried(orders, of: story) else { return }
            let picture = Picture(life(facts, story.environment), moments: moments)
            if picture != expected { differing += 1 }
        }
        #expect(differing == 0)
        #expect(orders == (1...story.facts.count).reduce(1, *))
    }

    @Test("Every fact repeated anywhere", arguments: Story.all)
    func repeated(_ story: Story) {
        let reported = life(story.facts, story.environment)
        let moments = Picture.moments(story.facts, reported)
        let expected = Picture(reported, moments: moments)
        for fact in story.facts {
            for place in 0...story.facts.count {
                var facts = story.facts
                facts.insert(fact, at: place)
                let picture = Picture(life(facts, story.environment), moments: moments)
                #expect(picture == expected, "\(fact.position) again at \(place)")
            }
        }
    }

    @Test("Positions name facts without ordering them", arguments: Story.all)
    func positions(_ story: Story) {
        let reported = life(story.facts, story.environment)
        let count = Int64(story.facts.count)
        let reversed = story.facts.map { fact in
            fact.with { $0.position = count + 1 - fact.position }
        }
        let other = life(reversed, story.environment)
        #expect(other.intervals == reported.intervals)
        #expect(other.timelineEvents.map(\.name) == reported.timelineEvents.map(\.name))
        #expect(other.timeline.map { count + 1 - $0.cause } == reported.timeline.map(\.cause))
        #expect(
            other.notices.map { notice in notice.evidence.map { count + 1 - $0 }.sorted() }
                == reported.notices.map(\.evidence))
    }

    @Test(
        "Random orders of long lives, with repetitions",
        arguments: 1...UInt64(Soak.count(6, soak: 40)))
    func randomOrders(_ seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let facts = RandomLife.facts(
            seed: seed, count: 8 + numbers.below(60), isHostile: seed.isMultiple(of: 2))
        let reported = life(facts)
        let moments = Picture.moments(facts, reported)
        let expected = Picture(reported, moments: moments)
        for _ in 0..<12 {
            let again = facts.filter { _ in numbers.chance(30) }
            let shuffled = (facts + again).shuffled(using: &numbers)
            #expect(Picture(life(shuffled), moments: moments) == expected)
        }
    }
}
