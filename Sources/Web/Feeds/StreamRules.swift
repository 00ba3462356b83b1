/// Bounds of change streams; tests use other times.
struct StreamRules: Sendable {
    var slots = StreamSlots()
    var heartbeat = StreamLimits.heartbeat
}
