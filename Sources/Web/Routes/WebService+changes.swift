internal import AppStore
import HTTPTypes
import Hummingbird
internal import Ledger
import NIOCore
internal import Projection
internal import Queries
internal import Service

/// The change feed as server-sent events.
extension WebService {
    func addChanges(to groups: RouteGroups) {
        groups.read.get("/v1/changes") { request, context in
            let (scope, after, types) = try QueryParameters.read(request) {
                (try $0.place(), $0.text("after"), try names($0.text("types")))
            }
            let filter = ChangeFilter(names: types, bundleId: scope.bundleId)
            let last = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
            return try await response(
                scope.environment, filter, cursor: last ?? after, context.channel)
        }
    }

    private func response(
        _ environment: AppStore.Environment, _ filter: ChangeFilter, cursor: String?,
        _ channel: any Channel
    ) async throws -> Response {
        guard let feed = feeds.first(where: { $0.ledger.environment == environment }) else {
            throw ServingError.environmentNotServed(environment)
        }
        let slot = try streams.slots.slot()
        let writer = ChangeStreamWriter(
            feed: feed, filter: filter, start: try await start(cursor, feed), channel: channel,
            rules: streams)
        return .events(holding: slot) { try await writer.write(to: &$0) }
    }

    /// The start: after the cursor or, without one, at the next change.
    private func start(
        _ cursor: String?, _ feed: ChangeFeed
    ) async throws -> ChangeStreamWriter.Start {
        guard let cursor else { return .now(try await feed.beginning()) }
        guard cursor.utf8.count <= StreamLimits.cursorByteCount,
            let place = ChangePlace(cursor)
        else {
            throw Problem.invalid(
                "Last-Event-ID and after take the id of an event, or a position.",
                code: "invalidCursor")
        }
        guard place.position <= (try await feed.logEnd()) else {
            throw Problem.invalid(
                "The log ends before this position, so it is another log. Read the state"
                    + " again and start without a cursor.", code: "cursorBeyondLog")
        }
        return .after(place)
    }

    private func names(_ list: String?) throws(Problem) -> Set<ChangeName>? {
        guard let list else { return nil }
        var names: Set<ChangeName> = []
        for text in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let name = ChangeName(rawValue: String(text)) else {
                throw Problem.invalid(
                    "types takes names of changes separated by commas: "
                        + ChangeName.allCases.map(\.rawValue).joined(separator: ", ") + ".")
            }
            names.insert(name)
        }
        return names
    }
}
