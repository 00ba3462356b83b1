import Ledger

/// A page just read: subscribers at the end of the feed request the same one.
struct RecentPage {
    let cursor: ChangePlace
    let version: Int
    let isSettled: Bool
    let page: ChangePage
}
