import AppStore

/// All pages of a query, in order. An expired token restarts the walk, a few times: repeated items
/// are recognised by their keys. Ends with `endlessPages` if pages lead nowhere.
public struct PageWalk<Page: PagedResponse>: AsyncSequence, Sendable {
    public typealias Element = APIResponse<Page>
    public typealias Failure = APIFailure

    let endpoint: Endpoint
    let first: EnvironmentChoice
    /// The token to start at; nil: the first page.
    let start: String?
    let fetch: @Sendable (String?, EnvironmentChoice) async throws(APIFailure) -> APIResponse<Page>

    public func makeAsyncIterator() -> Iterator { Iterator(walk: self, place: start) }

    public struct Iterator: AsyncIteratorProtocol {
        let walk: PageWalk
        /// The token of the next page.
        var place: String?
        var isAtEnd = false
        /// Number of restarts, after each of which pages repeat.
        public private(set) var restarts = 0
        var pages = PageGuard()
        /// The environment that returned the first page; used for the others.
        var environment: Environment?
        /// Why the walk ends after the page just returned.
        var objection: APIFailure?

        /// The next page; nil after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIFailure) -> APIResponse<Page>? {
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

        /// Records a page. Its items are returned even if the walk ends there.
        private mutating func take(_ answer: APIResponse<Page>) -> APIResponse<Page> {
            environment = answer.environment
            guard answer.value.isFollowed else {
                isAtEnd = true
                return answer
            }
            if let reason = pages.objection(to: answer.value) {
                objection = .endless(walk.endpoint, reason).from(answer.environment)
            }
            place = answer.value.nextPlace
            return answer
        }
    }
}

extension APIFailure {
    /// The token of a page has expired (4000017) or is unknown (4000014).
    public var isExpiredPlace: Bool {
        appleCode == Raw(.paginationTokenExpired) || appleCode == Raw(.invalidPaginationToken)
    }
}
