import type { DenialCode } from '#domain/denial.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type {
  Approval,
  Decline,
  EntryAnswer,
  ProtectionChange,
  UpdateRejection,
  SignalState,
  ReplaceAnswer,
  ReplaceRequest,
  Withdrawal,
} from '#workflows/signal/contract.ts'

/** A signal that a message goes to. */
export interface Recipient {
  signalId: string
  /**
   * With these its workflow is started if it is not there; null for one that was started before. Never set for
   * a signal that may have ended: once its history is gone, it would begin anew.
   */
  startWith: SignalTerms | null
}

/**
 * The API's access to Temporal; every wait is bounded by `milliseconds`. Starting is idempotent by
 * the signal's id. The messages throw {@link UpdateRejected}, {@link WorkflowOver}, and {@link GatewayUnavailable}
 * when no answer came in time: then the decision may or may not have been taken; the ledger shows it later.
 */
export interface SignalGateway {
  /**
   * Starts the signal's workflow, or finds it running, and waits for the outcome of its entry. Throws
   * {@link WorkflowOver} when the workflow has ended already: then the ledger has the outcome.
   */
  startAndAwaitEntry(terms: SignalTerms, milliseconds: number): Promise<EntryAnswer>
  /** Starts the signal's workflow; one that was started before, even one that has ended, is fine. */
  start(terms: SignalTerms, milliseconds?: number): Promise<void>

  /**
   * Approves a pending signal, once in any number of calls, and waits for the outcome of its entry.
   *
   * @param refusals how many approvals of it were refused before: the next one is another
   */
  approve(to: Recipient, approval: Approval, milliseconds: number, refusals: number): Promise<EntryAnswer>
  decline(to: Recipient, decline: Decline, milliseconds: number): Promise<SignalState>
  withdraw(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  cancelExit(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  changeProtection(to: Recipient, change: ProtectionChange, milliseconds: number): Promise<SignalState>
  /** Has an exit that waits tried at once; nothing happens when none does. */
  retryExit(signalId: string, milliseconds: number): Promise<void>
  /** When this resolves, the replacement is stored. */
  replace(to: Recipient, replaceRequest: ReplaceRequest, milliseconds: number): Promise<ReplaceAnswer>

  /** Throws when the engine cannot be reached within `milliseconds`. */
  checkReachable(milliseconds: number): Promise<void>
  close(): Promise<void>
}

/**
 * The engine cannot be reached or did not answer in time. Whether the workflow was started, or the message
 * arrived, is not known; repeating it is harmless.
 */
export class GatewayUnavailable extends Error {
  override readonly name: string = 'GatewayUnavailable'
}

/** Temporal was probably reached, and the workflow has not answered yet. */
export class AnswerOverdue extends GatewayUnavailable {
  override readonly name = 'AnswerOverdue'
}

/** The workflow rejected the update, for a reason of its contract. */
export class UpdateRejected extends Error {
  override readonly name = 'UpdateRejected'
  readonly rejection: UpdateRejection
  /** Of WOULD_BE_REFUSED: why. */
  readonly denial: DenialCode | null
  constructor(rejection: UpdateRejection, message: string, denial: DenialCode | null = null) {
    super(message)
    this.rejection = rejection
    this.denial = denial
  }
}

/** The workflow of the signal has ended and takes no messages any more. */
export class WorkflowOver extends Error {
  override readonly name = 'WorkflowOver'
}
