import Testing


@Suite("Findings that say the same")
struct GatheredTests {
    @Test("are one, with the places of the first three, in the order they are met")
    func gathered() {
        let found = Gathered.gather([
            ("1", "a"), ("2", "b"), ("3", "a"), ("4", "a"), ("5", "b"), ("6", "a"),
        ])
        #expect(found.map(\.text) == ["a", "b"])
        #expect(found.map(\.count) == [4, 2])
        #expect(found.map(\.placesText) == ["1, 3, 4 and 1 more", "2, 5"])
    }

    @Test("without a place have none, and are counted all the same")
    func placeless() {
        let found = Gathered.gather([(nil, "a"), (nil, "a")])
        #expect(found.map(\.count) == [2])
        #expect(found[0].placesText == "")
        #expect(Gathered.gather([]).isEmpty)
    }
}
