internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import Proofs
internal import Service
internal import Signing

/// Files that prove what a page shows, for people who trust neither the service nor its operator.
extension ConsolePages {
    func addBundles(to group: RouterGroup<WebContext>) {
        addBundle("subscriptions", to: group) { .subscription($0) }
        addBundle("customers", to: group) { .customer(CustomerId(stated: $0)) }
        addBundle("events", to: group) { Int64(plain: $0).map { .event($0) } }
    }

    private func addBundle(
        _ kind: String, to group: RouterGroup<WebContext>,
        _ subject: @escaping @Sendable (String) -> ProvenAnswer?
    ) {
        // Paths with the same beginning use the same variable name.
        let variable = kind == "events" ? "position" : "id"
        group.get("\(ConsoleRoutes.home)/\(kind)/:\(variable)/bundle") { request, context in
            let id = try PathReader.text(variable, context)
            let (frame, isPage) = try QueryParameters.read(request, isForm: true) {
                let isPage = try $0.flag("html")
                return (try self.frame([kind, id, "bundle"], &$0, context), isPage)
            }
            try frame.requirePeople()
            guard let subject = subject(id) else { throw Problem.invalid("No such event.") }
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let bundle = try await host.bundle(subject, scope(frame))
            guard isPage else {
                return Response(bundle.bytes, type: "application/json", file: "proof.json")
            }
            return Response(
                ProofPage.html(bundle, roots: Array(host.roots.fingerprints)),
                type: ConsolePages.mediaType, file: "proof.html")
        }
    }
}
