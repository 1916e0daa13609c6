import type { DenialCode } from '#domain/denial.ts'
import type { RuleFault } from '#domain/protection-change.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
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

/** A message starts its workflow where none runs. */
export interface Recipient {
  signalId: string
  terms: SignalTerms
  status: SignalStatus
}

/** Starting is idempotent. Messages throw {@link UpdateRejected}, {@link WorkflowOver}, and {@link
 * GatewayUnavailable}: the ledger shows later whether the decision was taken. */
export interface SignalGateway {
  /** Throws {@link WorkflowOver} after the end: the ledger has the outcome. */
  startAndAwaitEntry(terms: SignalTerms, milliseconds: number): Promise<EntryAnswer>
  start(terms: SignalTerms, milliseconds?: number): Promise<void>

  /** Idempotent, but after `refusals` refused ones it is another. */
  approve(to: Recipient, approval: Approval, milliseconds: number, refusals: number): Promise<EntryAnswer>
  decline(to: Recipient, decline: Decline, milliseconds: number): Promise<SignalState>
  withdraw(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  cancelExit(to: Recipient, withdrawal: Withdrawal, milliseconds: number): Promise<SignalState>
  changeProtection(to: Recipient, change: ProtectionChange, milliseconds: number): Promise<SignalState>
  retryExit(signalId: string, milliseconds: number): Promise<void>
  replace(to: Recipient, replaceRequest: ReplaceRequest, milliseconds: number): Promise<ReplaceAnswer>

  checkReachable(milliseconds: number): Promise<void>
  close(): Promise<void>
}

/** No answer in time: the start or message may have arrived; repeating it is harmless. */
export class GatewayUnavailable extends Error {
  override readonly name: string = 'GatewayUnavailable'
}

export class AnswerOverdue extends GatewayUnavailable {
  override readonly name = 'AnswerOverdue'
}

interface Why {
  code?: DenialCode | null
  faults?: readonly RuleFault[]
}

export class UpdateRejected extends Error {
  override readonly name = 'UpdateRejected'
  readonly rejection: UpdateRejection
  /** Set for WOULD_BE_REFUSED. */
  readonly denial: DenialCode | null
  /** Of a change of an exit plan. */
  readonly faults: readonly RuleFault[]
  constructor(rejection: UpdateRejection, message: string, { code = null, faults = [] }: Why = {}) {
    super(message)
    this.rejection = rejection
    this.denial = code
    this.faults = faults
  }
}

export class WorkflowOver extends Error {
  override readonly name = 'WorkflowOver'
}
