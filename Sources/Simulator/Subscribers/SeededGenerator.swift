/// Seeded random numbers: the same on every machine and in every version of the standard library,
/// whose range drawing may change.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
/// Generators", 2014). Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator for the seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 ..< bound. The bias of a 64-bit product is far below what any test detects.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "there is no number below zero to draw")
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number in the range.
    public mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        let width = UInt64(range.upperBound - range.lowerBound) + 1
        return range.lowerBound + Int64(next().multipliedFullWidth(by: width).high)
    }

    /// True in `percent` of 100 draws.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A random element; the array must not be empty.
    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// A random element with the given weights; at least one weight must be positive.
    public mutating func pick<Element>(weighted elements: [(Element, Int)]) -> Element {
        var rest = below(elements.reduce(0) { $0 + $1.1 })
        for (element, weight) in elements {
            if rest < weight { return element }
            rest -= weight
        }
        return elements[elements.count - 1].0
    }
}
