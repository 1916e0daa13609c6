import type { Instruction } from '#domain/hook/message.ts'
import type { Fault } from '../http/errors.ts'
import type { Caller } from '../http/caller.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Advisory } from '../signals/schema.ts'
import type { DryRun } from '../signals/prospect.ts'

export interface HookTrial {
  message: string
  faults: Fault[]
  advisories: Advisory[]
  instructions: { kind: Instruction['kind']; summary: string }[]
  /** `dryRun` is null where the signal itself is refused. */
  accounts: { accountId: string; dryRun: DryRun | null; code: string | null; message: string | null }[]
}

export interface HookTrials {
  tryMessage(caller: Caller<SignedIn>, hookId: string, body: string): Promise<HookTrial>
  makeTestRequest(caller: Caller<SignedIn>, hookId: string): Promise<string>
  sendAgain(caller: Caller<SignedIn>, hookId: string, requestId: string, body: string): Promise<string>
}
