internal import Projection
internal import Queries
internal import Service
import ServiceLifecycle

/// Runs the change feeds for as long as the service serves.
struct FeedService: Service {
    let feeds: [ChangeFeed]
    let observer: any ServingObserver

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                for feed in feeds {
                    group.addTask(priority: .utility) {
                        await feed.run { error in
                            observer.noted(.feedFailed(feed.ledger.environment, error))
                        }
                    }
                }
            }
        }
    }
}
