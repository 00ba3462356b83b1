import AppStore
import AppStoreAPI
import ArgumentParser

/// The calls of the Retention Messaging API that change nothing at Apple.
enum MessagingQueries {
    struct Images: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "images", abstract: "The images for retention messages, with their state.")

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.imageList(in: call.choice.environment))
        }
    }

    struct Messages: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "messages", abstract: "The retention messages, with their state.")

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.messageList(in: call.choice.environment))
        }
    }

    struct DefaultMessage: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "default-message",
            abstract: "The retention message of a product and locale without a real-time answer.")

        @Argument(help: "The product.")
        var product: String

        @Argument(help: "The locale, e.g. en-US.")
        var locale: String

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.defaultMessage(
                    product: ProductId(product), locale: locale, in: call.choice.environment))
        }
    }

    struct RealtimeURL: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "realtime-url", abstract: "Where Apple sends retention requests.")

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.realtimeURL(in: call.choice.environment))
        }
    }

    struct PerformanceTestResult: APIRequest {
        static let configuration = CommandConfiguration(
            commandName: "performance-test-result",
            abstract: "How a performance test of the retention endpoint went; Sandbox.")

        @Argument(help: "The requestId of the test.")
        var id: String

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.performanceTestResult(id))
        }
    }
}
