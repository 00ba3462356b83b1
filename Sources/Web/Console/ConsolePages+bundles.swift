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
        addBundle("subscriptions/:id", to: group) { .subscription($0) }
        addBundle("customers/:id", to: group) { .customer(CustomerId(stated: $0)) }
        addBundle("events/:position", to: group) { Int64(plain: $0).map { .event($0) } }
    }

    private func addBundle(
        _ page: String, to group: RouterGroup<WebContext>,
        _ subject: @escaping @Sendable (String) -> ProvenAnswer?
    ) {
        let route = "\(page)/bundle"
        group.get("\(ConsoleRoutes.home)/\(route)") { request, context in
            let path = try PathReader.parts(route, context)
            let (frame, isPage) = try QueryParameters.read(request, isForm: true) {
                let isPage = try $0.flag("html")
                return (try self.frame(path, &$0, context), isPage)
            }
            try frame.requirePeople()
            guard let subject = subject(path[1]) else { throw Problem.invalid("No such event.") }
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
