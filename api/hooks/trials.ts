import type { Instruction } from '#domain/hook/message.ts'
import type { Fault } from '../http/errors.ts'
import type { Caller } from '../http/caller.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Advisory } from '../signals/schema.ts'
import type { DryRun } from '../signals/prospect.ts'

/** How a hook reads a message, and what would come of it; nothing was stored or sent. */
export interface HookTrial {
  /** In one sentence. */
  message: string
  /** Why it is refused; empty where it is not. */
  faults: Fault[]
  advisories: Advisory[]
  /** Empty where it is not understood. */
  instructions: { kind: Instruction['kind']; summary: string }[]
  /** A line for each account that would trade. `dryRun` is null where the signal itself is refused, with code and words. */
  accounts: { accountId: string; dryRun: DryRun | null; code: string | null; message: string | null }[]
}

/** What people have their own hooks do with a message by hand. */
export interface HookTrials {
  /** Reads a message as one of its sender. */
  tryMessage(caller: Caller<SignedIn>, hookId: string, body: string): Promise<HookTrial>
  /** Has a request made that comes into the inbox as a dry run; answers its id. */
  makeTestRequest(caller: Caller<SignedIn>, hookId: string): Promise<string>
  /** Takes a request in again with this text, as an alert of its own; answers the id of the new one. */
  sendAgain(caller: Caller<SignedIn>, hookId: string, requestId: string, body: string): Promise<string>
}
