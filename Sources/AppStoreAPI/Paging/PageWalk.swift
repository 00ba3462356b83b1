import AppStore

/// All pages of a question, one after the other. A token that expired on the way begins the walk
/// anew, a few times: what comes twice is known by its key. Ends with `endlessPages` where pages
/// lead nowhere.
public struct PageWalk<Page: PagedResponse>: AsyncSequence, Sendable {
    public typealias Element = APIAnswer<Page>
    public typealias Failure = APIFailure

    let endpoint: Endpoint
    let first: EnvironmentChoice
    /// The place to begin at; nil: the first page.
    let start: String?
    let fetch: @Sendable (String?, EnvironmentChoice) async throws(APIFailure) -> APIAnswer<Page>

    public func makeAsyncIterator() -> Iterator { Iterator(walk: self, place: start) }

    public struct Iterator: AsyncIteratorProtocol {
        let walk: PageWalk
        /// Where the next page is.
        var place: String?
        var isAtEnd = false
        /// How often the walk began anew: pages then come again.
        public private(set) var restarts = 0
        var pages = PageGuard()
        /// Whoever answered the first page answers the others.
        var environment: Environment?
        /// Why not to go on after the page just handed over.
        var objection: APIFailure?

        /// The next page; nil after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIFailure) -> APIAnswer<Page>? {
            if let objection {
                self.objection = nil
                isAtEnd = true
                throw objection
            }
            while !isAtEnd {
                do throws(APIFailure) {
                    let choice = environment.map { EnvironmentChoice.only($0) } ?? walk.first
                    return take(try await walk.fetch(place, choice))
                } catch {
                    guard place != walk.start, error.isExpiredPlace,
                        restarts < APILimits.restartCount
                    else {
                        isAtEnd = true
                        throw error
                    }
                    restarts += 1
                    place = walk.start
                    pages = PageGuard()
                }
            }
            return nil
        }

        /// Takes note of a page. What it holds is handed over even where it leads nowhere.
        private mutating func take(_ answer: APIAnswer<Page>) -> APIAnswer<Page> {
            environment = answer.environment
            guard answer.value.isFollowed else {
                isAtEnd = true
                return answer
            }
            if let reason = pages.objection(to: answer.value) {
                objection = APIFailure.endless(walk.endpoint, reason)
                objection?.environment = answer.environment
            }
            place = answer.value.nextPlace
            return answer
        }
    }
}

extension APIFailure {
    /// The place of a page is not known any more (4000017), or never was (4000014).
    public var isExpiredPlace: Bool {
        appleCode == Raw(.paginationTokenExpired) || appleCode == Raw(.invalidPaginationToken)
    }
}
