import AppStore
import Testing

@Suite("Numbers in sentences")
struct NamedNumberTests {
    @Test("1 has the singular, every other number the plural")
    func named() {
        let texts = [-1, 0, 1, 2, 11, 21, 101].map { $0.named("event is", "events are") }
        #expect(
            texts == [
                "-1 events are", "0 events are", "1 event is", "2 events are", "11 events are",
                "21 events are", "101 events are",
            ])
        #expect(Int64(1).named("life", "lives") == "1 life")
    }
}
