import AppStore
import AppStoreAPI

/// A machine's clock: the time of the run plus an error. Sleeping advances the time.
struct VirtualClock: RequestClock {
    let time: VirtualTime
    let errorMilliseconds: Int64

    var now: Timestamp { time.now.advanced(byMilliseconds: errorMilliseconds) }
    var elapsedMilliseconds: Int64 { time.now.milliseconds }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        time.advance(milliseconds: milliseconds)
    }
}
