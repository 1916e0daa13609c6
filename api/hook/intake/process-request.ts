import type { HookHolder } from '#db/hook/hook-auth.ts'
import { claimName, type StoredHookRequest } from '#db/hook/requests.ts'
import type { ReadMessage, TradeInstruction, UnreadMessage } from '#domain/hook/message.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import { supersededBy } from '#domain/hook/superseding.ts'
import { isFailed } from '#domain/signal/signal.ts'
import { summaryOf } from '../../group/present.ts'
import { create } from '../../intake/create.ts'
import { messageName, namedBy, type GroupRequest, type Member } from '../../intake/request.ts'
import { ApiError, fault } from '#contract/errors.ts'
import type { Caller } from '../../http/caller.ts'
import type { Principal } from '../../http/principal.ts'
import { isDoneWithout, isReplaced } from '../../signal/present.ts'
import type { IntakeDeps } from './deps.ts'
import { cancelEntries, closeEverything, haltAccounts, protectHeld, type Done } from './orders-of-hook.ts'
import { signalsOf, preview, NOTHING_ELSE, type Outcome } from './preview.ts'

/** Milliseconds after which its process has finished, or died. */
export const LEFT_AFTER_MS = 5_000
/** Milliseconds after which a message is stale. */
export const TOO_LATE_MS = 600_000

/** Repetition is safe: trades use the request's id. Throws errors that are not the sender's fault. */
export async function processRequest(
  deps: IntakeDeps,
  caller: Caller,
  hook: HookHolder,
  request: StoredHookRequest,
  message: ReadMessage | UnreadMessage,
): Promise<Outcome> {
  if ('faults' in message) return notUnderstood(message)
  const { advisories } = message
  try {
    if (message.isTest || request.via === 'test')
      return await preview(deps, caller, hook, message, request.receivedAt)
    const outcome = await processMessage(deps, caller, hook, request, message)
    return { ...outcome, advisories: [...advisories, ...outcome.advisories] }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { ...refusal(error), advisories }
  }
}

export const notUnderstood = ({ faults }: UnreadMessage): Outcome => ({
  ...NOTHING_ELSE,
  outcome: 'refused',
  code: 'VALIDATION_ERROR',
  message: wordsOf(faults),
  faults,
})

export const refusal = ({ code, message, details }: ApiError): Outcome => ({
  ...NOTHING_ELSE,
  outcome: 'refused',
  code,
  message: details.length === 0 ? message : wordsOf(details),
  faults: details.map((one) => fault(one.path, one.code, one.message)),
})

const wordsOf = (faults: readonly { message: string }[]): string =>
  faults.map((one) => one.message).join('; ')

async function processMessage(
  deps: IntakeDeps,
  caller: Caller,
  hook: HookHolder,
  request: StoredHookRequest,
  message: ReadMessage,
): Promise<Outcome> {
  const standing = await outcomeOfRequest(deps, caller, request, message)
  if ('outcome' in standing) return standing
  let outcome: Outcome = { ...REPEATED_ALERT, groupId: null }
  for (const instruction of message.instructions) {
    if (instruction.kind === 'trade')
      outcome = await trade(deps, caller, hook, request, { message, instruction })
    // A repeated cancel or close would affect newer orders.
    else if (standing.isDone) continue
    else if (instruction.kind === 'cancel')
      outcome = asOutcome(
        await cancelEntries(deps, caller, hook.hookId, { ...instruction, before: request.receivedAt }),
      )
    else if (instruction.kind === 'protect')
      outcome = asOutcome(await protectHeld(deps, caller, hook, instruction))
    else if (instruction.kind === 'halt')
      outcome = asOutcome(await haltAccounts(caller, hook, instruction.level))
    else
      outcome = asOutcome(
        await closeEverything(deps, caller, hook, keyOf(caller.principal, request, message)),
      )
  }
  return outcome
}

const REPEATED_ALERT = {
  ...NOTHING_ELSE,
  outcome: 'repeated',
  message:
    'The same alert was received before: its signals are returned, and nothing was sent for this request',
} as const

const CARRIED_OUT_LATE = { ...NOTHING_ELSE, outcome: 'late', code: 'STALE' } as const

/** The group identifies repeated signals, a claimed name other instructions. */
async function outcomeOfRequest(
  deps: IntakeDeps,
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  request: StoredHookRequest,
  message: ReadMessage,
): Promise<{ isDone: boolean } | Outcome> {
  const { instructions } = message
  const age = (deps.now ?? Date.now)() - request.receivedAt.getTime()
  const isFresh = age <= LEFT_AFTER_MS
  const tradesAlone = instructions.every(({ kind }) => kind === 'trade')
  if (isFresh && tradesAlone && request.signature === null) return { isDone: false }
  const named = namedBy(principal, nameOf(principal, request, message), request.receivedAt)
  const claim = await inTime(claimName(em, named, request, symbolOf(instructions)))
  if (claim.isReplayed || (claim.isRepeated && instructions.every(({ kind }) => kind !== 'trade')))
    return REPEATED_ALERT
  if (claim.hasGroup || claim.isRepeated) return { isDone: true }
  // A late halt is still right.
  if (isFresh || instructions.some(({ kind }) => kind === 'halt')) return { isDone: false }
  if (age > TOO_LATE_MS)
    return {
      ...CARRIED_OUT_LATE,
      message:
        'It could not be processed within ten minutes, and nothing was done for it: check the position before it is sent again',
    }
  return claim.isOvertaken
    ? {
        ...CARRIED_OUT_LATE,
        message:
          'It could not be processed at once, and a later message of the hook has been processed since: nothing was done for it',
      }
    : { isDone: false }
}

function symbolOf(instructions: ReadMessage['instructions']): string | null {
  const [first] = instructions.flatMap((one) => (one.kind === 'trade' ? [one.body['symbol']] : []))
  return typeof first === 'string' ? first.toUpperCase() : null
}

const asOutcome = ({ did, message, signals = [] }: Done): Outcome => ({
  ...NOTHING_ELSE,
  outcome: did ? 'accepted' : 'nothing',
  message,
  signals,
})

/** Equal for repeated alerts: closing again would close newer positions. */
function keyOf(principal: Principal, request: StoredHookRequest, message: ReadMessage): string {
  const { id, name, seconds } = nameOf(principal, request, message)
  return `flat ${seconds === null && name !== null ? name : id}`
}

async function trade(
  deps: IntakeDeps,
  caller: Caller,
  hook: HookHolder,
  request: StoredHookRequest,
  { message, instruction }: { message: ReadMessage; instruction: TradeInstruction },
): Promise<Outcome> {
  const requests = signalsOf(instruction, hook.settings, request.receivedAt.getTime())
  const { outcome, groupId, members } = await create(deps, caller, {
    requests,
    source: request.body,
    acceptedAt: request.receivedAt,
    group: {
      ...nameOf(caller.principal, request, message),
      summary: summaryOf(requests[0]!),
      supersedes: {
        actions: supersededBy(requests[0]!.move, requests[0]!.action, requests[0]!.targetPosition != null),
        meantAt: momentOf(message, request),
      },
    },
  })
  const signals = members.map(lineOf)
  if (outcome === 'existing' && groupId !== request.id) return { ...REPEATED_ALERT, groupId, signals }
  return { ...standingOf(members), groupId, signals }
}

/** UTC instant; null for a person's repetition, and for a clock ahead. */
function momentOf({ meantAt }: ReadMessage, { via, receivedAt }: StoredHookRequest): string | null {
  if (via === 'again' || meantAt === null) return null
  return Date.parse(meantAt) > receivedAt.getTime() + MOST_AHEAD_MS ? null : meantAt
}
const MOST_AHEAD_MS = 300_000

const WINDOW_SECONDS = 30

/** A repeated request finds its effects by its id. */
const nameOf = (
  principal: Principal,
  { id, via }: StoredHookRequest,
  { identity: { text, isWindowed } }: ReadMessage,
): Pick<GroupRequest, 'id' | 'name' | 'seconds'> => ({
  id,
  name: via === 'again' ? null : messageName(principal, text),
  seconds: isWindowed ? WINDOW_SECONDS : null,
})

function standingOf(members: readonly Member[]): Omit<Outcome, 'groupId' | 'signals'> {
  const lines = members.map(lineOf)
  const advisories = uniqueBy(
    members.flatMap((member) =>
      member.outcome === 'refused' ? [] : [...member.signal.advisories, ...member.advisories],
    ),
  )
  const refused = lines.filter((line) => line.code !== null)
  const stand = members.flatMap((member) =>
    member.outcome !== 'refused' && !isFailed(member.signal.status) ? [member] : [],
  )
  if (stand.length === 0) {
    const { code, message } = refused[0] ?? { code: null, message: lines[0]?.message }
    const outcome = refused.length > 0 ? 'refused' : 'nothing'
    return { ...NOTHING_ELSE, outcome, code, message: message ?? '', advisories }
  }
  const among = lines.length === 1 ? '' : ` for ${stand.length} of ${lines.length} accounts`
  const left = refused.length === 0 ? '' : `; refused for ${refused.length}: ${refused[0]!.message}`
  const message = `The signal is accepted${among}${left}`
  return { ...NOTHING_ELSE, outcome: 'accepted', message, advisories }
}

function lineOf(member: Member): HookOutcome['signals'][number] {
  const { accountId } = member
  if (member.outcome === 'refused')
    return { accountId, id: null, status: null, orderId: null, ...member.refusal }
  const { id, status, orderId, statusReason, statusDetail } = member.signal
  const line = { accountId, id, status, orderId: orderId ?? null, message: statusDetail ?? null }
  // A newer alert superseded it; the sender must not repeat it.
  const isRefused = isFailed(status) && !isDoneWithout({ statusReason }) && !isReplaced({ statusReason })
  return { ...line, code: isRefused ? (statusReason ?? status) : null }
}

const uniqueBy = (advisories: readonly { code: string; message: string }[]) => [
  ...new Map(advisories.map((one) => [`${one.code} ${one.message}`, one])).values(),
]
