/// Bounds of change streams; tests use other times.
struct StreamRules: Sendable {
    var slots = StreamSlots()
    var stall = StreamLimits.stall
    var heartbeat = StreamLimits.heartbeat
}
