internal import AppStore
internal import Console
import HTTPTypes
import Hummingbird
internal import Ledger
internal import LedgerStore
import NIOCore
internal import Queries
internal import Service
import ServiceLifecycle
internal import Signing

/// Pages of the log: its list, live, and each event.
struct EventPages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages
    let access: ConsoleGuard
    let answers: ResponseMemoryBudget
    /// Browsers that follow the list at once.
    static let streamCount = 20
    let slots = StreamSlots(limit: EventPages.streamCount)

    func add(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/events"
        group.get("\(path)") { request, context in try await list(request, context) }
        group.get("\(path)/live") { request, context in try await live(request, context) }
        group.get("\(path)/:position") { request, context in
            let (frame, position) = try frame(request, context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            guard let detail = try await host.event(at: position, pages.scope(frame)) else {
                throw EventPages.noSuchEvent
            }
            let roots = host.roots.fingerprints.sorted { $0.hexadecimal < $1.hexadecimal }
            let changes = try await host.decided(
                by: detail.event, pages.scope(frame), limit: EventPage.decidedCount + 1)
            let page = EventPage(frame, detail, decided: changes, roots: roots)
            return pages.response(page.page)
        }
        group.get("\(path)/:position/raw") { request, context in
            let (frame, position) = try frame(request, context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let detail = try await host.event(
                at: position, pages.scope(frame), withProof: false)
            guard let evidence = detail?.evidence else { throw EventPages.noSuchEvent }
            let name = "event-\(position).bin"
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/octet-stream",
                    .contentDisposition: "attachment; filename=\"\(name)\"",
                ], body: .init(byteBuffer: ByteBuffer(bytes: evidence)))
        }
    }

    private static var noSuchEvent: Problem {
        Problem(
            .notFound, code: "noSuchEvent", detail: "The log has no event at this position.")
    }

    private func frame(
        _ request: Request, _ context: WebContext
    ) throws -> (Frame, Int64) {
        let text = try PathReader.text("position", context)
        guard let position = Int64(plain: text) else { throw EventPages.noSuchEvent }
        let frame = try QueryParameters.read(request, isForm: true) {
            try pages.frame(
                ["events", text], &$0, context, assets: [.behaviour, .verification]
            ).present
        }
        try PeoplePages.require(frame)
        return (frame, position)
    }

    // MARK: The list

    private func list(_ request: Request, _ context: WebContext) async throws -> Response {
        var filter = EventFilter()
        var before: Int64?
        var filters: [(String, String?)] = []
        var isLive = true
        let frame = try QueryParameters.read(request, isForm: true) {
            before = try $0.position("before")
            isLive = $0.text("live") != "false" && before == nil
            for name in ["types", "receivedFrom", "receivedTo"] {
                filters.append((name, $0.text(name)))
            }
            filter.types = Set(($0.text("types") ?? "").split(separator: ",").map(String.init))
            filter.receivedFrom = try $0.time("receivedFrom")
            filter.receivedTo = try $0.time("receivedTo")
            return try pages.frame(["events"], &$0, context).present
        }
        try PeoplePages.require(frame)
        let page = try await host.eventPage(
            pages.scope(frame), filter, from: .before(before), limit: Frame.rowCount)
        return pages.response(
            EventsPage(
                frame, page.events, next: page.next, filters: filters, isLive: isLive
            ).page)
    }

    // MARK: Live

    /// New events as server-sent events (HTML standard, §9.2), each a row of the list.
    private func live(_ request: Request, _ context: WebContext) async throws -> Response {
        var after: Int64?
        let frame = try QueryParameters.read(request, isForm: true) {
            after = try $0.position("after")
            return try pages.frame(["events"], &$0, context).present
        }
        try PeoplePages.require(frame)
        guard let slot = slots.take() else {
            throw Problem(
                .serviceUnavailable, code: "tooManyStreams",
                detail: "All \(EventPages.streamCount) streams are in use; retry later.",
                retryAfter: 10)
        }
        let last = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
        let scope = pages.scope(frame)
        let head = try await host.eventPage(scope, from: .before(nil), limit: 1).head
        let start = last.flatMap { Int64(plain: $0) } ?? after ?? head
        let channel = context.channel
        let isAllowed = access.permit(request, context)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { body in
                defer { withExtendedLifetime(slot) {} }
                try await OffEventLoop.run {
                    try await write(
                        min(start, head), frame, scope, while: { channel.isActive && isAllowed() },
                        to: &body)
                }
                try await body.finish(nil)
            })
    }

    private func write(
        _ start: Int64, _ frame: Frame, _ scope: QueryScope,
        while isActive: @Sendable () -> Bool, to body: inout any ResponseBodyWriter
    ) async throws {
        var cursor = start
        var lastSent = ContinuousClock.now
        try await body.write(ByteBuffer(string: ": live\n\n"))
        while !Task.isCancelled, !Task.isShuttingDownGracefully, isActive() {
            let page = try await host.eventPage(
                scope, from: .after(cursor), limit: Frame.rowCount)
            for event in page.events {
                let row = EventsPage.row(event, frame).text.replacing("\n", with: "")
                try await body.write(
                    ByteBuffer(string: "id: \(event.position)\nevent: row\ndata: \(row)\n\n"))
                lastSent = .now
            }
            cursor = page.next ?? cursor
            if lastSent.duration(to: .now) > StreamLimits.heartbeat {
                try await body.write(ByteBuffer(string: ": still here\n\n"))
                lastSent = .now
            }
            if page.events.isEmpty { try await Task.sleep(for: StreamLimits.poll) }
        }
    }
}
