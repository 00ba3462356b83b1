internal import Console
import Foundation
import Synchronization

/// What was typed into forms that were not accepted, because the session had ended or the page of
/// the form could not be shown: the form shows it again later. In memory only.
final class FormDrafts: Sendable {
    /// Maximum drafts; beyond it the oldest is forgotten. Each is at most one form.
    static let maximumCount = 50
    /// Maximum drafts of one sender; beyond it the sender's own oldest is forgotten, so that one
    /// sender cannot discard those of others.
    static let countPerSender = 5
    /// How long a draft is kept.
    static let lifetime: Duration = .seconds(30 * 60)

    private struct Draft {
        let id: String
        let sender: String
        let values: [String: String]
        let keptAt: ContinuousClock.Instant
    }

    private let drafts = Mutex<[Draft]>([])

    /// Keeps the fields of a form, except what confirms an erasure. Returns the id that shows
    /// them, once.
    ///
    /// - Parameters:
    ///   - values: the fields of the form, by name.
    ///   - sender: the user, or the key of the network subscriber, that sent the form.
    ///   - now: the time from which `lifetime` counts.
    func keep(
        _ values: [String: String], from sender: String, at now: ContinuousClock.Instant = .now
    ) -> String {
        let id = UUID().uuidString.lowercased()
        let values = values.filter { $0.key != ErasePage.confirmation }
        drafts.withLock { drafts in
            FormDrafts.expire(&drafts, now)
            let own = drafts.indices.filter { drafts[$0].sender == sender }
            if own.count >= FormDrafts.countPerSender {
                drafts.remove(at: own[0])
            } else if drafts.count >= FormDrafts.maximumCount {
                drafts.removeFirst()
            }
            drafts.append(Draft(id: id, sender: sender, values: values, keptAt: now))
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
