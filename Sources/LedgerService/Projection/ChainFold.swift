import AppStore
import Foundation
import Ledger
import LedgerStore

/// Folds every chain of a facts file on all cores and hands the rows on in chain order. Memory
/// stays at a few pages.
struct ChainFold: Sendable {
    let facts: FactsStore
    let environment: Environment
    let catalogue: Catalogue

    /// Takes what was made of the next chains, and how many facts were folded so far.
    typealias Consumer<Page> = (Page, Int64) async throws(StoreError) -> Void

    /// Pages being folded or waiting for their turn, for each core.
    static let pagesPerCore = 3

    private typealias Folded<Page> = Swift.Result<Page, StoreError>

    /// As the other `run`, with the rows as they are.
    func run(_ consume: Consumer<[ChainRows]>) async throws(StoreError) {
        try await run({ $0 }, consume)
    }

    /// While `consume` works on one page, the next are folded and shaped, and the one after is read.
    func run<Page: Sendable>(
        _ shape: @escaping @Sendable ([ChainRows]) -> Page, _ consume: Consumer<Page>
    ) async throws(StoreError) {
        let width = ChainFold.pagesPerCore * ProcessInfo.processInfo.activeProcessorCount
        let failure = await withTaskGroup(of: (Int, Folded<Page>).self) { group -> StoreError? in
            var ready: [Int: Folded<Page>] = [:]
            var counts: [Int] = []
            var (consumed, factCount) = (0, Int64(0))
            do throws(StoreError) {
                var page = try await facts.undecodedPage(after: nil)
                while page != nil || consumed < counts.count {
                    let current = page
                    async let following = next(after: current)
                    if let current {
                        let index = counts.count
                        counts.append(current.factCount)
                        group.addTask {
                            (index, Folded { () throws(StoreError) in shape(try fold(current)) })
                        }
                    }
                    while consumed < counts.count,
                        current == nil || counts.count - consumed >= width || ready[consumed] != nil
                    {
                        while ready[consumed] == nil, let done = await group.next() {
                            ready[done.0] = done.1
                        }
                        guard let rows = try ready.removeValue(forKey: consumed)?.get() else {
                            break
                        }
                        factCount += Int64(counts[consumed])
                        consumed += 1
                        try await consume(rows, factCount)
                    }
                    page = try await following.get()
                }
                return nil
            } catch {
                group.cancelAll()
                return error
            }
        }
        if let failure { throw failure }
    }

    /// As a result, since `async let` forgets the type of an error.
    private func next(after page: FactsPage?) async -> Swift.Result<FactsPage?, StoreError> {
        guard let page else { return .success(nil) }
        do throws(StoreError) {
            return .success(try await facts.undecodedPage(after: page.last))
        } catch {
            return .failure(error)
        }
    }

    private func fold(_ page: FactsPage) throws(StoreError) -> [ChainRows] {
        try page.chains().map { chain, facts in
            ChainRows(chain, facts: facts, environment: environment, catalogue: catalogue)
        }
    }
}
