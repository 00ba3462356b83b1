internal import AppStore
internal import Console
import Foundation
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// Forms that act, and their handlers (Post/Redirect/Get).
extension ConsolePages {
    /// A form that was sent.
    typealias Sent = (form: ConsoleForm, context: WebContext)

    /// Adds a form and its handler.
    ///
    /// - Parameters:
    ///   - route: of the page within its environment; the path of its frame names its subject.
    ///   - fields: those that the address may name.
    ///   - admit: throws for a viewer who may not act.
    ///   - page: shows the form with the values of its frame.
    ///   - act: acts, and redirects to what was done.
    func addForm(
        _ route: String, to group: RouterGroup<WebContext>, fields: [String] = [],
        admit: @escaping @Sendable (Frame, Sent?) throws -> Void,
        page: @escaping @Sendable (Frame) async throws -> Page,
        act: @escaping @Sendable (Frame, Sent) async throws -> Response
    ) {
        let path = "\(ConsoleRoutes.home)/\(route)"
        group.get("\(path)") { request, context in
            let frame = try formFrame(route, request, context, fields: fields)
            try admit(frame, nil)
            let shown = response(try await page(frame))
            // Kept until a page was shown: after a failure, loading it again shows the draft.
            drafts.remove(frame.values[ConsolePages.draft])
            return shown
        }
        group.post("\(path)") { request, context in
            let form = try await ConsoleForm(request)
            var frame = try formFrame(route, request, context, fields: fields)
            (frame.key, frame.values) = (form.text("key") ?? newKey, form.values)
            frame.kept = ConsolePages.kept(fields, form.values)
            try admit(frame, (form, context))
            do { return try await act(frame, (form, context)) } catch {
                let problem = Problem(error)
                // A refusal of Apple's keeps the form, too.
                guard problem.keepsForm || error is LookupFailure else { throw error }
                let sent = frame.key
                if problem.isKeyReused { frame.key = newKey }
                frame.failure = problem.formDetail
                do { return response(try await page(frame), problem) } catch {
                    // After a 503 the form is kept as a draft, until its page can be shown.
                    guard Problem(error).status == .serviceUnavailable else { throw error }
                    return draft(of: frame, sent: sent, from: sender(request, context))
                }
            }
        }
    }

    /// The frame of a form with its first values: those of a draft, and those that its address
    /// names.
    func formFrame(
        _ route: String, _ request: Request, _ context: WebContext, fields: [String]
    ) throws -> Frame {
        let path = try PathReader.parts(route, context)
        return try QueryParameters.read(request, isForm: true) {
            let draft = $0.text(ConsolePages.draft)
            var values = drafts.values(of: draft)
            values[ConsolePages.draft] = draft
            for name in fields {
                // Fields typed before the session ended take precedence.
                if let value = $0.text(name), values[name] == nil { values[name] = value }
            }
            var frame = try self.frame(path, &$0, context)
            (frame.key, frame.values) = (values["key"] ?? newKey, values)
            frame.kept = ConsolePages.kept(fields, values)
            return frame
        }
    }

    /// What a form is about, which its links to itself keep; the state keeps the app.
    private static func kept(
        _ fields: [String], _ values: [String: String]
    ) -> [(String, String?)] {
        fields.filter { $0 != "bundleId" }.map { ($0, values[$0]) }
    }

    /// Redirects to a form that cannot be shown now: its own page loads itself again until it can,
    /// and then shows what was typed.
    ///
    /// - Parameters:
    ///   - frame: that of the form, with what was typed.
    ///   - key: that of the form as it was sent, so that the draft cannot act twice.
    ///   - sender: who sent it.
    private func draft(of frame: Frame, sent key: String, from sender: String) -> Response {
        var values = frame.values
        values["key"] = key
        return Response.seeOther(
            frame.state.url(
                frame.path,
                [
                    (ConsolePages.draft, drafts.keep(values, from: sender)),
                    ("bundleId", frame.state.bundleId?.rawValue),
                ]))
    }

    /// The parameter that names a draft.
    static let draft = "draft"

    /// Identifies one form, so that sending it twice acts once.
    private var newKey: String { UUID().uuidString.lowercased() }

    /// Throws `insufficientScope` for a viewer who may not act, and `historicView` for a view of
    /// the past.
    ///
    /// - Parameter scope: `write` or `admin`, which the viewer must have.
    func admit(_ frame: Frame, for scope: Scope) throws {
        try frame.requirePeople()
        guard scope == .admin ? frame.viewer.operates : frame.viewer.decides else {
            throw Problem.lacking(scope.rawValue)
        }
        guard !frame.state.isHistoric else {
            throw Problem.invalid(
                "Nothing can be changed in a view of the past; leave at and knownAt out.",
                code: "historicView")
        }
    }
}

extension ConsoleForm {
    /// The actor, reason and key of an act. The actor is the viewer; without tokens the form names
    /// one. A reason is one line; the form has room for several.
    func order(_ frame: Frame, _ context: WebContext) throws -> CommandIntake.Order {
        if let name = frame.viewer.name, let author = text("author"), author != name {
            throw Problem.invalid(
                "This form was opened as \(author), and you are signed in as \(name) now: nothing was"
                    + " decided. Send it again to decide as \(name).")
        }
        return CommandIntake.Order(
            actor: try frame.viewer.name ?? required("actor"), tokenName: context.principal?.name,
            reason: String(try required("reason").map { $0.isNewline ? " " : $0 }),
            key: try required("key"))
    }

    /// Throws `invalidTime`.
    func time(_ name: String) throws(Problem) -> Timestamp {
        guard let time = Timestamp(formInput: try required(name)) else {
            throw Problem.invalid("\(name) takes \(Timestamp.formInputs).", code: "invalidTime")
        }
        return time
    }

    /// Throws `invalidParameter`.
    func position(_ name: String) throws(Problem) -> Int64 {
        guard let number = Int64(plain: try required(name)), number >= 0 else {
            throw Problem.invalid("\(name) takes a position.")
        }
        return number
    }
}
