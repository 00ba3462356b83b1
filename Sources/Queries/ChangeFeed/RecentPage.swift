import Ledger

/// A page just read: those who follow at the end of the feed ask for the same.
struct RecentPage {
    let cursor: ChangePlace
    let version: Int
    let isSettled: Bool
    let page: ChangePage
}
