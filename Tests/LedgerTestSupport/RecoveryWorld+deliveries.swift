import AppStore

extension RecoveryWorld {
    /// Deliveries at these times, each signed a second before.
    package static func deliveries(at times: [Timestamp]) -> [MadeDelivery] {
        times.map { time in
            MadeChain().notification(
                .didChangeRenewalStatus, .autoRenewEnabled, 0,
                at: time.advanced(byMilliseconds: -1_000))
        }
    }

    /// This many times, the last of them `end`.
    package static func times(_ count: Int64, every step: Int64, to end: Timestamp) -> [Timestamp] {
        (0..<count).map { end.advanced(byMilliseconds: ($0 + 1 - count) * step) }
    }
}
