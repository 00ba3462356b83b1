/// By what streams of changes are bounded; the tests have other times.
struct StreamRules: Sendable {
    var slots = StreamSlots()
    var stall = StreamLimits.stall
    var heartbeat = StreamLimits.heartbeat
}
