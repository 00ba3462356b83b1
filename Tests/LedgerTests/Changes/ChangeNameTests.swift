import Ledger
import Testing

@Suite("Names of changes")
struct ChangeNameTests {
    @Test("names are unique and parse back")
    func distinct() {
        let names = ChangeName.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        #expect(names.compactMap(ChangeName.init(rawValue:)) == ChangeName.allCases)
    }

    @Test("invalid names are rejected", arguments: ["", "Expired", "EXPIRED", "test", "renewing"])
    func unknown(_ name: String) {
        #expect(ChangeName(rawValue: name) == nil)
    }

    @Test("places parse back, and are ordered like the feed")
    func places() {
        let places = [
            ChangePlace.beginning, ChangePlace(position: 1), ChangePlace(position: 1, index: 1),
            .afterEvent(at: 1), ChangePlace(position: 1, clock: 5),
            ChangePlace(position: 1, clock: 5, ordinal: 1), .end(of: 1), ChangePlace(position: 2),
        ]
        #expect(places == places.sorted())
        for place in places { #expect(ChangePlace(place.description) == place) }
        #expect(ChangePlace("17") == .afterEvent(at: 17))
        #expect(ChangePlace("0-3") == ChangePlace(position: 0, index: 3))
        #expect(ChangePlace("9223372036854775807") == .afterEvent(at: .max))
    }

    @Test(
        "invalid places are rejected",
        arguments: [
            "", "-", "1-", "-1", "1-2-3", "1-0-0-0", "1-2-3-4-5", "a", "1.5", "+1", " 1",
            "99999999999999999999", "9223372036854775808", "01", "0-3 ", "00", "0-03", "-0", "1--1",
            "1-05-0-0", "1-5-00-0", "1-5-0-+1",
        ])
    func unreadablePlaces(_ text: String) {
        #expect(ChangePlace(text) == nil)
    }
}
