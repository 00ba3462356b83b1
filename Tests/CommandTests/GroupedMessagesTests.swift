import Testing
import subledger

@Suite("Findings with the same text")
struct GroupedMessagesTests {
    @Test("are merged, with the places of the first three, in order of appearance")
    func gathered() {
        let found = GroupedMessages.gather([
            ("1", "a"), ("2", "b"), ("3", "a"), ("4", "a"), ("5", "b"), ("6", "a"),
        ])
        #expect(found.map(\.text) == ["a", "b"])
        #expect(found.map(\.count) == [4, 2])
        #expect(found.map(\.placesText) == ["1, 3, 4 and 1 more", "2, 5"])
    }

    @Test("without a place are counted without places")
    func placeless() {
        let found = GroupedMessages.gather([(nil, "a"), (nil, "a")])
        #expect(found.map(\.count) == [2])
        #expect(found[0].placesText == "")
        #expect(GroupedMessages.gather([]).isEmpty)
    }
}
