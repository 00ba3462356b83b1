internal import Console
import Foundation
import Synchronization

/// What was typed into forms that were not accepted, because the session had ended or the page of
/// the form could not be shown: the form shows it again later. In memory only.
final class FormDrafts: Sendable {
    /// Maximum drafts; beyond it the oldest is forgotten. Each is at most one form.
    static let maximumCount = 50
    /// How long a draft is kept.
    static let lifetime: Duration = .seconds(30 * 60)

    private struct Draft {
        let id: String
        let values: [String: String]
        let keptAt: ContinuousClock.Instant
    }

    private let drafts = Mutex<[Draft]>([])

    /// Keeps the fields of a form, except what confirms an erasure. Returns the id that shows
    /// them, once.
    func keep(_ values: [String: String], at now: ContinuousClock.Instant = .now) -> String {
        let id = UUID().uuidString.lowercased()
        let values = values.filter { $0.key != ErasePage.confirmation }
        drafts.withLock { drafts in
            FormDrafts.expire(&drafts, now)
            if drafts.count >= FormDrafts.maximumCount { drafts.removeFirst() }
            drafts.append(Draft(id: id, values: values, keptAt: now))
        }
        return id
    }

    /// The fields of a draft; empty for an unknown one.
    func values(of id: String?, at now: ContinuousClock.Instant = .now) -> [String: String] {
        drafts.withLock { drafts in
            FormDrafts.expire(&drafts, now)
            return drafts.first { $0.id == id }?.values ?? [:]
        }
    }

    /// Forgets a draft once a page showed it.
    func remove(_ id: String?) { drafts.withLock { $0.removeAll { $0.id == id } } }

    func removeAll() { drafts.withLock { $0 = [] } }

    private static func expire(_ drafts: inout [Draft], _ now: ContinuousClock.Instant) {
        drafts.removeAll { $0.keptAt.duration(to: now) > lifetime }
    }
}
