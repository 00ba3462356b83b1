import AppStore
import Foundation
import LedgerTestSupport
import Simulator
import Testing

/// Checks that the stories cover everything, and that each is complete.
@Suite("Replay coverage")
struct ReplayCoverageTests {
    /// Every row of the type and subtype table that can touch a lifecycle (App Store Server
    /// Notifications V2, `notificationType` and `subtype`); an empty subtype is none.
    static let rows = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW/",
        "DID_RENEW/BILLING_RECOVERY", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF/",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_STATUS/",
        "OFFER_REDEEMED/", "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE",
        "DID_FAIL_TO_RENEW/", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED/",
        "EXPIRED/VOLUNTARY", "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE",
        "EXPIRED/PRODUCT_NOT_FOR_SALE", "EXPIRED/", "PRICE_INCREASE/PENDING",
        "PRICE_INCREASE/ACCEPTED", "REFUND/", "REFUND_DECLINED/", "REFUND_REVERSED/",
        "CONSUMPTION_REQUEST/", "REVOKE/", "RENEWAL_EXTENDED/", "RENEWAL_EXTENSION/SUMMARY",
        "RENEWAL_EXTENSION/FAILURE", "ONE_TIME_CHARGE/", "METADATA_UPDATE/", "MIGRATION/",
        "PRICE_CHANGE/", "TEST/",
    ]

    /// Types and subtypes of every line of every story.
    static let reported: Set<String> = {
        var found: Set<String> = []
        for name in StoryTelling.names {
            let path = StoryTelling.folder.appending(path: "\(name)/notifications.ndjson").path
            let text = FileManager.default.contents(atPath: path) ?? Data()
            for line in text.split(separator: UInt8(ascii: "\n")) {
                guard let notification = try? JSONValue.parse(Array(line))["notification"],
                    let type = notification["notificationType"]?.string
                else { continue }
                found.insert("\(type)/\(notification["subtype"]?.string ?? "")")
            }
        }
        return found
    }()

    @Test("Some story contains every row of Apple's table that can touch a lifecycle")
    func rows() {
        let missing = ReplayCoverageTests.rows.filter { row in
            !ReplayCoverageTests.reported.contains(row)
        }
        #expect(missing == [])
    }

    @Test("A story has its three files, none of them empty")
    func files() throws {
        for name in StoryTelling.names {
            let folder = StoryTelling.folder.appending(path: name)
            for file in ["story.md", "notifications.ndjson", "expected.json"] {
                let data = try Data(contentsOf: folder.appending(path: file))
                #expect(!data.isEmpty, "\(name) \(file)")
            }
        }
    }
}
