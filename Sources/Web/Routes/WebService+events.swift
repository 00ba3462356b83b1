internal import AppStore
import Foundation
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// The log itself, by position.
extension WebService {
    func addEvents(to groups: RouteGroups) {
        groups.people.get("/v1/events") { request, _ in
            let (scope, filter, place, limit, withEvidence) = try QueryParameters.read(request) {
                (
                    try $0.place(), try $0.eventFilter(), try $0.eventPlace(), try $0.limit(),
                    try $0.flag("evidence")
                )
            }
            let share =
                withEvidence ? try answers.require(ResponseMemoryBudget.makingByteCount) : nil
            defer { withExtendedLifetime(share) {} }
            return try await host.events(
                scope, filter, from: place, limit: limit, withEvidence: withEvidence)
        }
        groups.people.get("/v1/events/:position") { request, context in
            let scope = try QueryParameters.read(request) { try $0.place() }
            let position = try PathReader.position(context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            guard let detail = try await host.event(at: position, scope) else {
                throw Problem.noSuchEvent
            }
            return try host.answer(detail, scope.environment)
        }
    }
}

extension Problem {
    static var noSuchEvent: Problem {
        Problem(
            .notFound, code: "noSuchEvent",
            detail: "The log has no event at this position; check the environment and bundleId.")
    }
}

extension QueryParameters {
    /// Conditions on events.
    mutating func eventFilter() throws(Problem) -> EventFilter {
        var filter = EventFilter()
        filter.types = Set(QueryParameters.list(text("types")))
        for name in QueryParameters.list(text("kinds")) {
            guard let kind = EventKind(rawValue: name) else {
                throw Problem.invalid(
                    "kinds takes "
                        + EventKind.allCases.map(\.rawValue).joined(separator: ", ")
                        + ", separated by commas.")
            }
            filter.kinds.insert(kind)
        }
        filter.receivedFrom = try time("receivedFrom")
        filter.receivedTo = try time("receivedTo")
        return filter
    }

    /// The position at which a page of events begins, and its direction.
    mutating func eventPlace() throws(Problem) -> EventPlace {
        let (after, before) = (try position("after"), try position("before"))
        guard let before else { return .after(after ?? 0) }
        guard after == nil else { throw Problem.invalid("Give after or before, not both.") }
        return .before(before)
    }

    /// The parts of a value that commas separate, without blanks and empty ones.
    static func list(_ text: String?) -> [String] {
        text?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty } ?? []
    }
}
