import AppStore
import Simulator
import Testing

@Suite("The time of a simulated store")
struct StoreTimeTests {
    @Test("It is the time of the last delivery, and never goes back")
    func forward() {
        let start = Timestamp(milliseconds: 1_767_225_600_000)
        let time = SimulatedClock(from: start)
        #expect(time.now == start)
        let later = start.advanced(byMilliseconds: 86_400_000)
        time.reach(later)
        time.reach(start)
        #expect(time.now == later)
    }
}
