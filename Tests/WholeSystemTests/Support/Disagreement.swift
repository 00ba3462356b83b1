/// A violation of what the system must guarantee.
struct Disagreement: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
