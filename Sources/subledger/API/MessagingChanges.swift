import AppStore
import AppStoreAPI
import ArgumentParser
import Foundation
import Intake

/// The calls of the Retention Messaging API that change something at Apple, and require `--yes`.
enum MessagingChanges {
    struct UploadImage: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "upload-image", abstract: "Upload a PNG for retention messages.",
            discussion: "Apple reviews it before it can be shown.")

        @Argument(help: "The image's UUID, chosen by you.")
        var id: String

        @Argument(help: "The PNG file.", completion: .file())
        var file: String

        @Option(
            help: "FULL_SIZE or BULLET_POINT (default: none is sent, and Apple decides).",
            completion: .values(of: MessageImageSize.self))
        var size: String?

        func check() throws(CommandFailure) {
            guard size.map({ MessageImageSize(rawValue: $0) != nil }) ?? true else {
                throw .invalidOption("--size must be FULL_SIZE or BULLET_POINT.")
            }
        }

        var deed: String { "upload \(file) as image \(id)" }

        func send(_ call: inout APIExchange) async throws {
            // One byte more than is sent, which is refused.
            guard let image = InputFile.readFile(file, limit: APILimits.imageByteCount) else {
                throw CommandFailure(
                    "unreadableFile", "\(file) cannot be read; check the path.", .io)
            }
            call.add(
                try await call.client.uploadImage(
                    id, image, size: size.flatMap { MessageImageSize(rawValue: $0) },
                    in: call.choice.environment))
        }
    }

    struct DeleteImage: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "delete-image", abstract: "Delete an image that no message uses.")

        @Argument(help: "The image's UUID.")
        var id: String

        var deed: String { "delete image \(id)" }

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.deleteImage(id, in: call.choice.environment))
        }
    }

    struct UploadMessage: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "upload-message", abstract: "Upload a retention message.",
            discussion: "Apple reviews it before it can be shown.")

        @Argument(help: "The message's UUID, chosen by you.")
        var id: String

        @Option(help: "The header: at most 66 characters.")
        var header: String

        @Option(help: "The text: at most 144 characters.")
        var body: String

        @Option(help: "The UUID of an image; not for messages with an offer or another plan.")
        var image: String?

        @Option(help: "The image's description: at most 150 characters.")
        var altText: String?

        @Option(help: "ABOVE_BODY or ABOVE_IMAGE.", completion: .values(of: HeaderPosition.self))
        var headerPosition: String?

        @Option(help: "A bullet point: at most 66 characters; repeatable, at most 5.")
        var bullet: [String] = []

        @Option(help: "The UUID of a bullet point's image; one for each, in order.")
        var bulletImage: [String] = []

        @Option(help: "The description of a bullet point's image; one for each, in order.")
        var bulletAltText: [String] = []

        func check() throws(CommandFailure) {
            guard headerPosition.map({ HeaderPosition(rawValue: $0) != nil }) ?? true else {
                throw .invalidOption("--header-position must be ABOVE_BODY or ABOVE_IMAGE.")
            }
            guard image != nil || altText == nil else {
                throw .invalidOption("--alt-text needs --image.")
            }
            guard bulletImage.count == bullet.count, bulletAltText.count == bullet.count else {
                throw .invalidOption(
                    "Every --bullet needs one --bullet-image and one --bullet-alt-text.")
            }
        }

        var deed: String { "upload message \(id)" }

        func send(_ call: inout APIExchange) async throws {
            var request = UploadMessageRequest()
            request.header = header
            request.body = body
            request.headerPosition = headerPosition.map { Raw(rawValue: $0) }
            if image != nil || altText != nil {
                var shown = MessageImage()
                shown.imageIdentifier = image
                shown.altText = altText
                request.image = shown
            }
            let points = bullet.indices.map { index in
                var point = MessageBulletPoint()
                point.text = bullet[index]
                point.imageIdentifier = bulletImage[index]
                point.altText = bulletAltText[index]
                return point
            }
            request.bulletPoints = points.isEmpty ? nil : points
            call.add(
                try await call.client.uploadMessage(id, request, in: call.choice.environment))
        }
    }

    struct DeleteMessage: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "delete-message", abstract: "Delete a retention message.")

        @Argument(help: "The message's UUID.")
        var id: String

        var deed: String { "delete message \(id)" }

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.deleteMessage(id, in: call.choice.environment))
        }
    }

    struct SetDefaultMessage: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "set-default-message",
            abstract: "Set the retention message of a product and locale.",
            discussion: "Apple shows it when the real-time endpoint does not answer in time.")

        @Argument(help: "The product.")
        var product: String

        @Argument(help: "The locale, e.g. en-US.")
        var locale: String

        @Argument(help: "The UUID of an approved message.")
        var message: String

        var deed: String { "set the default message of \(product), \(locale) to \(message)" }

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.configureDefaultMessage(
                    message, product: ProductId(product), locale: locale,
                    in: call.choice.environment))
        }
    }

    struct DeleteDefaultMessage: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "delete-default-message",
            abstract: "Delete the default retention message of a product and locale.")

        @Argument(help: "The product.")
        var product: String

        @Argument(help: "The locale, e.g. en-US.")
        var locale: String

        var deed: String { "delete the default message of \(product), \(locale)" }

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.deleteDefaultMessage(
                    product: ProductId(product), locale: locale, in: call.choice.environment))
        }
    }

    struct SetRealtimeURL: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "set-realtime-url",
            abstract: "Set where Apple sends retention requests.",
            discussion: "Production requires a performance test that passed in Sandbox.")

        @Argument(help: "The address of POST /appstore/retention, as Apple reaches it.")
        var url: String

        var deed: String { "send Apple's retention requests to \(url)" }

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.configureRealtimeURL(url, in: call.choice.environment))
        }
    }

    struct DeleteRealtimeURL: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "delete-realtime-url",
            abstract: "Stop Apple's retention requests; default messages remain.")

        var deed: String { "stop Apple's retention requests" }

        func send(_ call: inout APIExchange) async throws {
            call.add(try await call.client.deleteRealtimeURL(in: call.choice.environment))
        }
    }

    struct PerformanceTest: APIChange {
        static let configuration = CommandConfiguration(
            commandName: "performance-test",
            abstract: "Have Apple test the retention endpoint; Sandbox.",
            discussion: "Apple sends requests to the real-time URL configured in Sandbox.")

        @Argument(help: "An originalTransactionId of Sandbox.")
        var id: String

        var deed: String { "test the retention endpoint with requests about \(id)" }

        func send(_ call: inout APIExchange) async throws {
            call.add(
                try await call.client.initiatePerformanceTest(OriginalTransactionId(id)))
        }
    }
}
