import AppStore
import Ledger
import TestSupport
import Testing

@Suite("Customers compared with the plain implementation")
struct PlainCustomersTests {
    private static let catalogue = Catalogue(
        products: [ProductId("pro"): Catalogue.Product(entitlements: ["a", "b"])])

    private func holdings(
        _ plain: PlainCustomers, _ customer: String, limit: Int?
    ) -> [Holding] {
        plain.lives.enumerated().map { index, entry in
            entry.life.holding(
                of: CustomerId(customer),
                chain: ChainId(
                    bundleId: BundleId("app"),
                    originalTransactionId: OriginalTransactionId("\(index)")),
                limit: limit)
        }
    }

    @Test(
        "Holders, verdicts and standings of random customers agree at every moment",
        arguments: 1...UInt64(Soak.count(15, soak: 60)))
    func agreement(_ seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let chains = (0..<2).map { _ in numbered(RandomCommands.facts(&numbers)) }
        let plain = PlainCustomers(chains, PlainCustomersTests.catalogue)
        let moments = plain.moments
        let answers = moments.map { moment in
            chains.indices.map { plain.answer(of: $0, at: moment) }
        }
        for customer in RandomCommands.customers {
            let whole = holdings(plain, customer, limit: nil)
            let short = holdings(plain, customer, limit: Holding.shortStretchCount)
            let pictures = plain.pictures(of: customer, answers)
            for (moment, expected) in zip(moments, pictures) {
                let found = Entitlements(
                    at: moment, holdings: whole, grants: [], catalogue: plain.catalogue)
                #expect(found.standing == expected.standing, "\(customer) \(moment)")
                #expect(
                    Set(found.verdicts.filter(\.active).map(\.entitlement)) == expected.active)
                #expect(
                    Dictionary(
                        uniqueKeysWithValues: found.products.map {
                            ($0.productId.rawValue, $0.standing)
                        }) == expected.products)
                // What is active is still so just before its `until`.
                for verdict in found.verdicts where verdict.active {
                    let end = verdict.until.flatMap { end in moments.firstIndex { $0 >= end } }
                    let last = (end ?? moments.count) - 1
                    let isGiven = pictures[last].active.contains(verdict.entitlement)
                    #expect(isGiven, "\(customer) \(moment) \(moments[last])")
                }
                // A shortened holding gives the same verdicts from completeFrom on.
                guard short.allSatisfy({ $0.completeFrom <= moment }) else { continue }
                let again = Entitlements(
                    at: moment, holdings: short, grants: [], catalogue: plain.catalogue)
                #expect(again == found, "\(customer) \(moment)")
            }
            for index in chains.indices {
                let differing = zip(moments, answers).filter { moment, chains in
                    chains[index].holders.contains(customer)
                        != plain.lives[index].life.holders(moment).contains(customer)
                        && chains[index].isAnswered
                }
                #expect(differing.isEmpty, "\(customer) \(index)")
            }
        }
    }
}
