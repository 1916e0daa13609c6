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

export interface Recipient {
  signalId: string
  /** Starts the workflow if need be. Null for a signal that may have ended: without its history it would
   * begin anew. */
  startWith: SignalTerms | null
}

/** Waits are bounded by `milliseconds`; starting is idempotent. Messages throw {@link UpdateRejected}, {@link
 * WorkflowOver}, and {@link GatewayUnavailable} without an answer in time: the ledger shows later whether
 * the decision was taken. */
export interface SignalGateway {
  /** Starts or finds the workflow, and waits for the outcome of the entry. Throws {@link WorkflowOver} after
   * its end: the ledger has the outcome. */
  startAndAwaitEntry(terms: SignalTerms, milliseconds: number): Promise<EntryAnswer>
  /** Idempotent, also after the end. */
  start(terms: SignalTerms, milliseconds?: number): Promise<void>

  /** Idempotent; waits for the outcome of the entry. `refusals`: earlier approvals that were refused; the
   * next one is another. */
  approve(to: Recipient, approval: Approval, milliseconds: number, refusals: number): Promise<EntryAnswer>
  decline(to: Recipient, decline: Decline, milliseconds: number): Promise<SignalState>
  withdraw(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  cancelExit(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  changeProtection(to: Recipient, change: ProtectionChange, milliseconds: number): Promise<SignalState>
  /** Tries a waiting exit at once; without one nothing happens. */
  retryExit(signalId: string, milliseconds: number): Promise<void>
  /** Resolves when the replacement is stored. */
  replace(to: Recipient, replaceRequest: ReplaceRequest, milliseconds: number): Promise<ReplaceAnswer>

  /** Throws when Temporal cannot be reached in time. */
  checkReachable(milliseconds: number): Promise<void>
  close(): Promise<void>
}

/** No answer in time: the start or message may have arrived; repeating it is harmless. */
export class GatewayUnavailable extends Error {
  override readonly name: string = 'GatewayUnavailable'
}

/** Temporal was probably reached, but the workflow has not answered. */
export class AnswerOverdue extends GatewayUnavailable {
  override readonly name = 'AnswerOverdue'
}

export class UpdateRejected extends Error {
  override readonly name = 'UpdateRejected'
  readonly rejection: UpdateRejection
  /** Set for WOULD_BE_REFUSED. */
  readonly denial: DenialCode | null
  constructor(rejection: UpdateRejection, message: string, denial: DenialCode | null = null) {
    super(message)
    this.rejection = rejection
    this.denial = denial
  }
}

export class WorkflowOver extends Error {
  override readonly name = 'WorkflowOver'
}
