import type { Instruction } from '#domain/hook/message.ts'
import type { Fault } from '../http/errors.ts'
import type { Caller } from '../http/caller.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Advisory } from '../signals/schema.ts'
import type { DryRun } from '../signals/prospect.ts'

export interface HookTrial {
  message: string
  /** Empty where it is not refused. */
  faults: Fault[]
  advisories: Advisory[]
  /** Empty where it is not understood. */
  instructions: { kind: Instruction['kind']; summary: string }[]
  /** For each account that would trade; `dryRun` is null where the signal itself is refused. */
  accounts: { accountId: string; dryRun: DryRun | null; code: string | null; message: string | null }[]
}

export interface HookTrials {
  tryMessage(caller: Caller<SignedIn>, hookId: string, body: string): Promise<HookTrial>
  /** As a dry run; answers the id. */
  makeTestRequest(caller: Caller<SignedIn>, hookId: string): Promise<string>
  /** As an alert of its own; answers the new id. */
  sendAgain(caller: Caller<SignedIn>, hookId: string, requestId: string, body: string): Promise<string>
}
