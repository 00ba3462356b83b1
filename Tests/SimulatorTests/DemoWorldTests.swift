import AppStore
import LedgerTestSupport
import Simulator
import Testing

struct DemoWorldTests {
    @Test("Notifications are counted once each, separately from other deliveries")
    func counts() throws {
        let now = Timestamp(milliseconds: 1_780_272_000_000)
        let world = DemoWorld(chainCount: 150, seed: 0, now: now)
        var lines = 0
        let reported = try world.emit(signedBy: TestAuthority.shared) { _ in lines += 1 }
        var (arrived, missed): (Set<NotificationUUID>, Set<NotificationUUID>) = ([], [])
        var others = 0
        var stream = HistoryStream(world.plan)
        while case let page = stream.next(), !page.isEmpty {
            for entry in page where entry.delivery.receivedAt <= now {
                let isLost = world.outage.contains(entry.delivery.receivedAt)
                guard case .notification(let notification, _, _) = entry.delivery.evidence else {
                    others += isLost ? 0 : 1
                    continue
                }
                let uuid = try #require(notification.notificationUUID)
                if isLost { missed.insert(uuid) } else { arrived.insert(uuid) }
            }
        }
        #expect(reported.arrivedCount == arrived.count)
        #expect(reported.otherCount == others)
        #expect(reported.lostCount == missed.subtracting(arrived).count)
        #expect(lines >= reported.arrivedCount + reported.otherCount)
        // Otherwise the test would prove nothing.
        #expect(others > 0)
        #expect(reported.lostCount > 0)
    }
}
