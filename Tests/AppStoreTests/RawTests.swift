import AppStore
import Testing

@Suite("Raw values")
struct RawTests {
    @Test("A known value is the same from either initializer, and keeps its raw form")
    func known() {
        let (made, read) = (Raw(NotificationType.revoke), Raw<NotificationType>(rawValue: "REVOKE"))
        #expect(made == read && made.hashValue == read.hashValue)
        #expect(read.value == .revoke && read.rawValue == "REVOKE" && made.rawValue == "REVOKE")
    }

    @Test("An unknown value is kept raw, and equals nothing else")
    func unknown() {
        let new = Raw<NotificationType>(rawValue: "REVOKED_TWICE")
        #expect(new.value == nil && new.rawValue == "REVOKED_TWICE")
        #expect(new == Raw(rawValue: "REVOKED_TWICE") && new != Raw(.revoke))
        #expect(Raw<AutoRenewStatus>(rawValue: 7).value == nil)
        #expect(Raw<AutoRenewStatus>(rawValue: 7).rawValue == 7)
    }

    @Test("A text that only looks like a known value is unknown")
    func alike() {
        // The Kelvin sign, which Unicode normalises to K.
        let alike = Raw<NotificationType>(rawValue: "REVO\u{212A}E")
        #expect(alike.value == nil && Array(alike.rawValue.utf8) != Array("REVOKE".utf8))
        #expect(alike != Raw(.revoke))
    }
}
