import AppStore
import Simulator

extension SubscriberWorld {
    /// The environment of a seed's life, without generating it.
    package func environment(seed: UInt64) -> Environment {
        var random = SeededGenerator(seed: seed)
        // In the order of `LifeWriter`, which first draws a seed for its details.
        _ = random.next()
        return LifeTraits(&random).pace.environment
    }
}
