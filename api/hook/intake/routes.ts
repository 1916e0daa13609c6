import { findHookHolder, type HookHolder } from '#db/hook/hook-auth.ts'
import type { Instruction } from '#domain/hook/message.ts'
import { principalOfHook } from '../../access/hook-credential.ts'
import type { Caller } from '../../http/caller.ts'
import { inNameOf } from '../../http/principal.ts'
import type { ApiContext } from '../../http/context.ts'
import { ApiError, type Fault } from '#contract/errors.ts'
import { sampleMessage, readMessage } from '../dialects/read.ts'
import type { Advisory } from '#contract/signal/request.ts'
import { refusal } from './process-request.ts'
import { receive } from './receive.ts'
import type { IntakeDeps } from './deps.ts'
import { accountsAhead, type AccountAhead } from './preview.ts'
import { hookSender, requireFreshProof } from '../../access/policy.ts'
import { Reply, route } from '../../route/route.ts'
import { JUDGED } from '../../signal/new-signal.ts'
import { intakeEndpoints } from '#contract/hook/messages.ts'

export interface HookTrial {
  message: string
  faults: Fault[]
  advisories: Advisory[]
  instructions: { kind: Instruction['kind']; summary: string }[]
  accounts: AccountAhead[]
}

export async function tryMessage(
  deps: IntakeDeps,
  caller: Caller,
  hookId: string,
  body: string,
): Promise<HookTrial> {
  const hook = await hookToTry(deps, caller, hookId)
  const message = readMessage(body, hook)
  if ('faults' in message) {
    const words = 'The message is not understood: nothing would be sent'
    return { message: words, faults: message.faults, advisories: [], instructions: [], accounts: [] }
  }
  const { advisories, instructions } = message
  const read = {
    advisories,
    instructions: instructions.map((one) => ({ kind: one.kind, summary: inWords(one) })),
  }
  try {
    const accounts = await accountsAhead(deps, asHook(caller, hook), hook, message, new Date())
    return { message: 'Nothing was stored or sent', faults: [], accounts, ...read }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') throw error
    const { message: words, faults } = refusal(error)
    return { message: words, faults, accounts: [], ...read }
  }
}

export async function makeTestRequest(deps: IntakeDeps, caller: Caller, hookId: string): Promise<string> {
  const hook = await hookToTry(deps, caller, hookId)
  const text = sampleMessage(hook.kind, hook.settings)
  const message = { text, via: 'test', again: null, signature: null } as const
  return (await receive(deps, asHook(caller, hook), hook, message)).outcome.requestId
}

export async function sendAgain(
  deps: IntakeDeps,
  caller: Caller,
  { hookId, requestId }: { hookId: string; requestId: string },
  text: string,
): Promise<string> {
  const hook = await hookToTry(deps, caller, hookId)
  // Checked before storing: after a crash the rest runs without the person.
  if (!hook.bounds.demoOnly) requireFreshProof(caller.principal)
  const message = { text, via: 'again', again: requestId, signature: null } as const
  return (await receive(deps, asHook(caller, hook), hook, message)).outcome.requestId
}

async function hookToTry(
  { signalsEnabled }: IntakeDeps,
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  hookId: string,
): Promise<HookHolder> {
  if (!signalsEnabled) throw new ApiError('SERVICE_DISABLED')
  const found = await inTime(findHookHolder(em, hookId, null, null))
  if (found?.holder.userId !== principal.userId) throw new ApiError('HOOK_NOT_FOUND')
  return found.holder
}

/** Limited to the person's authority. */
const asHook = (caller: Caller, hook: HookHolder): Caller => ({
  ...caller,
  principal: inNameOf(principalOfHook(hook), caller.principal),
})

function inWords(instruction: Instruction): string {
  switch (instruction.kind) {
    case 'cancel':
      return instruction.symbol === null
        ? 'cancel all entries of this hook'
        : `cancel entries in ${instruction.symbol}`
    case 'protect':
      return `protect the position in ${instruction.symbol}`
    case 'flatten':
      return 'close every position'
    case 'halt':
      return `stop trading (${instruction.level})`
    case 'trade': {
      const { body, move } = instruction
      const symbol = String(body['symbol'])
      if (move?.kind === 'close') return `close ${symbol}`
      if (move) return `${move.direction} ${symbol}`
      return body['targetPosition'] === undefined
        ? `${String(body['action'])} ${symbol}`
        : `hold ${body['targetPosition'] as string} ${symbol}`
    }
  }
}

interface Sent {
  caller: Caller
  http: ApiContext
  body: string
}

async function take(
  { caller, body: text, http }: Sent,
  deps: IntakeDeps,
): Promise<Reply<Record<string, unknown>>> {
  if (!deps.signalsEnabled) throw new ApiError('SERVICE_DISABLED')
  const { outcome, status, body } = await receive(deps, caller, http.state.hook!, {
    text,
    via: 'sender',
    again: null,
    signature: http.state.hookSignature ?? null,
  })
  const signalId = outcome.signals.find(({ id }) => id !== null)?.id
  if (signalId) caller.noteSignal(signalId)
  if (outcome.outcome === 'dry_run') http.state.isDryRun = true
  if (outcome.code !== null) http.state.refusal = { code: outcome.code, error: outcome.message }
  return new Reply(status, body as Record<string, unknown>)
}

/** No version in the path: senders store it. */
export const intakeRoutes = [
  route(intakeEndpoints['POST /hooks/:hookId/:secret'], {
    access: hookSender(JUDGED),
    run: (asked, deps: IntakeDeps) => take(asked, deps),
  }),
  route(intakeEndpoints['POST /hooks/:hookId'], {
    access: hookSender(JUDGED),
    run: (asked, deps: IntakeDeps) => take(asked, deps),
  }),
]
