import AppStoreAPI
import AppleSync
import Foundation
import Intake
import LedgerStore
import Proofs
import Queries
import Reports
import SQLiteStore
import Simulator
import Web

extension CommandFailure {
    /// Phrases any error for the terminal, and chooses its exit code.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError:
            // A missing or protected file is a refusal, not an I/O failure.
            let isRefusal = error.code == .noSuchFile || error.code == .fileInUse
            self.init(error.code, error.description, isRefusal ? .negative : .io)
        case let error as BackupError: self.init(error.code, error.description, error.code.exit)
        case let error as CommandError:
            if let failure = error.failure {
                self.init(failure)
            } else {
                self.init(error.code, error.message, error.code.exit)
            }
        case let error as ErasureError: self.init(error.code, error.message, .negative)
        case let error as SignatureError:
            self.init(error.code, error.message, error.code == .signingFailed ? .io : .usage)
        case let error as EligibilityError: self.init(error.code, error.message, .negative)
        case let error as QueryError: self.init(error)
        case let error as ProofError: self.init(error.code, error.message, .negative)
        case MetricsError.store(let error): self.init(error)
        case let error as MetricsError:
            self.init(error.code, error.message, .usage)
        case let error as SearchError:
            self.init(error.code, error.message, .usage)
        case let error as ConfigurationError:
            self.init(error.code, error.description, .configuration)
        case let error as WebServiceError:
            let isPort = error.code == .portUnavailable
            self.init(error.code, error.description, isPort ? .io : .configuration)
        case let error as APIFailure: self.init(error.code, error.description, error.code.exit)
        case AppleRequestFailure.apple(let error): self.init(error)
        case AppleRequestFailure.store(let error): self.init(error)
        case let error as RecoveryFailure: self.init(error)
        case Ingest.Failure.input(let path, let reason):
            self.init(
                "unreadableInput",
                "\(path): \(reason). The input read before it is in the ledger.", .io)
        case Ingest.Failure.store(let error): self.init(error)
        case let error as InputProblem:
            let isUnreadable = error.code == "unreadableInput"
            self.init(error.code, error.message, isUnreadable ? .io : .usage)
        case let error as Story.Problem:
            self.init("unreadableStory", error.description, .negative)
        case let error as Authority.DirectoryProblem:
            self.init("unusableAuthority", error.description, .io)
        case let error as CocoaError: self.init(error)
        default:
            self.init("internal", "An unexpected failure: \(error).", .internal)
        }
    }

    /// A file that Foundation could not read or write.
    private init(_ error: CocoaError) {
        let reason = (error.underlying as? POSIXError).map {
            ": \(String(cString: strerror($0.code.rawValue)))"
        }
        self.init(
            "ioError",
            "\(error.filePath ?? "A file") cannot be read or written\(reason ?? ""); check that its"
                + " directory exists and can be written.", .io)
    }

    private init(_ error: QueryError) {
        switch error {
        case .store(let failure): self.init(failure)
        case .noSuchSubscription(let id):
            self.init(
                error.code,
                "\(error.message) Check the id, --data, --environment, --bundle-id, and"
                    + " --at or --known-at. If it is a customer's id, use `subledger timeline"
                    + " --customer \(id)` or `subledger entitlements \(id)`.", .negative)
        case .unknownThen, .stateless, .pseudonym:
            self.init(error.code, error.message, .negative)
        case .ambiguousId:
            self.init(
                error.code,
                "\(error.message) Select the app with --bundle-id, or use the id of one.",
                .negative)
        case .invalidRange:
            self.init(error.code, error.message, .usage)
        }
    }

    /// Apple's failures have the exit codes of `api` commands.
    private init(_ failure: RecoveryFailure) {
        let exit: Exit
        switch failure {
        case .store(let error):
            self.init(error)
            return
        case .api(let reason): exit = reason.code.exit
        case .running, .turnEnded: exit = .io
        case .tooOld: exit = .negative
        }
        self.init(failure.code, failure.description, exit)
    }
}

extension BackupError.Code {
    fileprivate var exit: CommandFailure.Exit {
        switch self {
        case .noLog, .logUnsound, .backupDamaged, .backupForeign, .backupEnvironment: .negative
        case .backupExists, .backupUnreadable, .backupNewer, .logExists, .logInUse,
            .projectorBusy:
            .io
        }
    }
}

extension CommandError.Code {
    /// Invalid arguments are usage errors; a missing subject is exit code 1.
    fileprivate var exit: CommandFailure.Exit {
        switch self {
        case .notLinked, .noSuchGrant, .idempotencyKeyReused: .negative
        case .invalidCustomer, .invalidActor, .invalidReason, .invalidEntitlement,
            .invalidTime, .invalidIdempotencyKey:
            .usage
        case .store: .io
        }
    }
}

extension APIFailure.Code {
    /// An id unknown to Apple is exit code 1, a rejected key is a configuration error, and a
    /// request that never reached Apple is an I/O error.
    fileprivate var exit: CommandFailure.Exit {
        switch self {
        case .invalidRequest: .usage
        case .unauthorized, .wrongSharedSecret: .configuration
        case .rateLimited, .appleUnavailable, .appleUnreachable, .appleTimedOut, .cancelled,
            .unexpectedStatus:
            .io
        case .refusedByApple, .answerTooLarge, .unreadableAnswer, .answerForAnotherApp,
            .endlessPages, .unknownOutcome, .receiptRefusedByApple:
            .negative
        }
    }
}
