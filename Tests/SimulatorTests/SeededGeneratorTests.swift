import Simulator
import Testing

struct SeededGeneratorTests {
    @Test("The first numbers are those of SplitMix64's published test vector")
    func vector() {
        var random = SeededGenerator(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
    }

    @Test("A draw stays inside its range, both bounds included")
    func bounds() {
        var random = SeededGenerator(seed: 7)
        let drawn = Set((0..<400).map { _ in random.within(-2...2) })
        #expect(drawn == [-2, -1, 0, 1, 2])
        #expect(Set((0..<200).map { _ in random.below(3) }) == [0, 1, 2])
        #expect(random.within(5...5) == 5)
    }

    @Test("An element with weight zero is never picked")
    func weights() {
        var random = SeededGenerator(seed: 8)
        let drawn = Set(
            (0..<300).map { _ in random.pick(weighted: [("a", 1), ("b", 0), ("c", 2)]) })
        #expect(drawn == ["a", "c"])
    }
}
