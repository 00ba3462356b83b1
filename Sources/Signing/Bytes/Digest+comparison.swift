public import AppStore

extension Digest {
    /// Constant-time comparison: its duration does not depend on where the codes differ.
    public func equalsInConstantTime(_ other: Digest) -> Bool {
        let (one, two) = (words, other.words)
        let difference =
            (one.0 ^ two.0) | (one.1 ^ two.1) | (one.2 ^ two.2) | (one.3 ^ two.3)
        return difference == 0
    }
}
