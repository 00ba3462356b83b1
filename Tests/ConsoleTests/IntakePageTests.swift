import Testing

@testable import Console

@Suite("The page about intake")
struct IntakePageTests {
    @Test("An app without an event among those searched may have older ones")
    func noEvent() {
        #expect(IntakePage.noEvent(head: 0) == "none yet")
        #expect(IntakePage.noEvent(head: 20_000) == "none yet")
        #expect(IntakePage.noEvent(head: 20_001) == "none among the newest 20,000")
    }
}
