import type { Database } from '#db/engine/database.ts'
import { actAs } from '#db/engine/row-security.ts'
import { type HookHolder, findHookHolder } from '#db/hook/hook-auth.ts'
import {
  endHookRequest,
  removeHookRequest,
  hasSignals,
  storeHookRequest,
  type StoredHookRequest,
  leftHookRequests,
  noteTry,
} from '#db/hook/requests.ts'
import { isFaultOfValue } from '#db/engine/value-fault.ts'
import { noteAcceptance, noteRequest } from '#db/hook/notes.ts'
import { nameActor } from '#db/identity/actor-names.ts'
import type { ReadMessage, UnreadMessage } from '#domain/hook/message.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../http/caller.ts'
import { senderOf, type Principal } from '../../http/principal.ts'
import { DeadlinePassed, within, detachFromRequest } from '../../http/deadline.ts'
import { databaseUnavailable } from '#contract/errors.ts'
import { storeOrCompensate } from '../../http/store-or-compensate.ts'
import { answerOf } from '../sender-responses.ts'
import { messageBoundsFault, readMessage, safeText } from '../dialects/read.ts'
import { readInTurn } from '../../http/work-bounds.ts'
import { processRequest, notUnderstood, TOO_LATE_MS, LEFT_AFTER_MS } from './process-request.ts'
import { NOTHING_ELSE, type Outcome } from './preview.ts'
import { principalOfHook } from '../../access/hook-credential.ts'
import type { Refusals } from '../../access/denied-requests.ts'
import type { Row } from '../../supervisor/supervisor.ts'
import type { IntakeDeps } from './deps.ts'

/** Milliseconds from arrival; senders hang up after three seconds. */
const ANSWER_WITHIN_MS = 1_700

export interface Message extends Pick<StoredHookRequest, 'via' | 'again' | 'signature'> {
  text: string
}

export interface Received {
  outcome: HookOutcome
  status: number
  body: object
}

/** A stored message is processed, also after failures. Throws DATABASE_UNAVAILABLE. */
export async function receive(
  deps: IntakeDeps,
  caller: Caller,
  hook: HookHolder,
  { text, via, again, signature }: Message,
): Promise<Received> {
  const receivedAt = new Date((deps.now ?? Date.now)())
  const { body, message } = await readFirst(deps, caller, hook, text)
  const request: StoredHookRequest = {
    id: randomUUID(),
    hookId: hook.hookId,
    userId: hook.userId,
    receivedAt,
    via,
    again,
    ip: caller.ip,
    signature,
    body,
    bytes: Buffer.byteLength(text),
  }
  await deps.failpoint('api.before_hook_stored')
  await storeOrCompensate(deps, caller.beforeDatabaseDeadline, {
    storing: storeHookRequest(caller.em, request, caller.limitOfStatement()),
    undo: () => removeHookRequest(deps.database.em.fork(), request.id),
  })
  if (via === 'sender')
    deps.background.run('note of a request to a hook', () =>
      noteRequest(deps.ordinaryDatabase.em.fork(), hook.hookId, hook.secretId),
    )
  await deps.failpoint('api.after_hook_stored')
  const work = detachFromRequest(() => bringToEnd(deps, caller, hook, request, message))
  const left = caller.receivedAt + ANSWER_WITHIN_MS - performance.now()
  try {
    return await within(left, 'the orders of a message', work)
  } catch (error) {
    work.catch(() => {})
    if (!(error instanceof DeadlinePassed))
      deps.logger.warn(
        { err: error, hookRequestId: request.id },
        'a message of a hook is left to the supervisor',
      )
    return answered(hook, request.id, 'faults' in message ? notUnderstood(message) : TO_BE_CARRIED_OUT)
  }
}

const TO_BE_CARRIED_OUT = {
  ...NOTHING_ELSE,
  outcome: 'accepted',
  message: 'The message is stored, and is processed as soon as possible',
} as const

/** Waits for the sender's queue position. Throws TOO_MANY_AT_ONCE and TOO_BUSY. */
async function readFirst(
  { work }: IntakeDeps,
  caller: Caller,
  hook: HookHolder,
  text: string,
): Promise<{ body: string; message: ReadMessage | UnreadMessage }> {
  const beyond = messageBoundsFault(text)
  if (beyond) return { body: '', message: { faults: [beyond] } }
  const waiting = { noteWait: caller.noteWait, requireSender: () => caller.requireSender('signals') }
  return readInTurn(work, senderOf(caller.principal), waiting, text.length, () => {
    const { body, mends } = safeText(text)
    return { body, message: readMessage(body, hook, mends) }
  })
}

/** Throws where a retry may succeed. */
async function bringToEnd(
  deps: IntakeDeps,
  caller: Pick<Caller, 'principal' | 'requestId' | 'ip' | 'receivedAt'>,
  hook: HookHolder,
  request: StoredHookRequest,
  message?: ReadMessage | UnreadMessage,
): Promise<Received> {
  const working = workingCaller(deps.database, caller.principal, caller)
  const timed = { ...deps, answerDeadline: Math.min(deps.answerDeadline, ANSWER_WITHIN_MS - ROOM_TO_END_MS) }
  let received: Received
  try {
    const read = message ?? readMessage(request.body, hook)
    received = answered(hook, request.id, await processRequest(timed, working, hook, request, read))
    await endHookRequest(working.em, request.id, received.outcome, received.status)
  } catch (error) {
    const age = (deps.now ?? Date.now)() - request.receivedAt.getTime()
    if (!isFaultOfValue(error) && age <= TOO_LATE_MS) throw error
    deps.logger.error(
      { err: error, hookRequestId: request.id },
      'a message of a hook cannot be carried out, and is not tried again',
    )
    const cause = (await hasSignals(working.em, request.id)) ? CUT_SHORT : NOT_TRIED_AGAIN
    received = answered(hook, request.id, cause)
    await endHookRequest(working.em, request.id, received.outcome, received.status)
  }
  const { outcome } = received
  if (outcome.outcome === 'accepted')
    deps.background.run('note of what a hook accepted', () =>
      noteAcceptance(deps.ordinaryDatabase.em.fork(), hook.hookId),
    )
  return received
}

const CUT_SHORT = {
  ...NOTHING_ELSE,
  outcome: 'accepted',
  message: 'The signals of the message are stored; an error of this service prevented the rest',
} as const
const NOT_TRIED_AGAIN = {
  ...NOTHING_ELSE,
  outcome: 'refused',
  code: 'INTERNAL_ERROR',
  message:
    'An error of this service prevents the message: nothing was done for it, and it is not retried. Check the position, and send a new message',
} as const

/** Milliseconds to store the outcome before the answer. */
const ROOM_TO_END_MS = 100

function answered({ kind }: HookHolder, requestId: string, result: Outcome): Received {
  const outcome = { requestId, ...result }
  return { outcome, ...answerOf(kind, outcome) }
}

/** Milliseconds; stored requests are retried. */
const STATEMENT_LIMIT = 10_000

/**
 * The work goes on if the sender hangs up.
 * @param receivedAt by `performance.now()`
 */
function workingCaller(
  database: Database,
  principal: Principal,
  { requestId, ip, receivedAt }: Pick<Caller, 'requestId' | 'ip' | 'receivedAt'>,
): Caller {
  const em = database.em.fork()
  actAs(em, principal.userId)
  let name: Promise<string> | undefined
  return {
    principal,
    em,
    requestId,
    ip,
    receivedAt,
    userAgent: 'hook',
    deviceToken: null,
    async beforeDatabaseDeadline(work) {
      try {
        return await within(STATEMENT_LIMIT, 'the database', work)
      } catch (error) {
        throw error instanceof DeadlinePassed ? databaseUnavailable(error) : error
      }
    },
    limitOfStatement: () => STATEMENT_LIMIT,
    actorName: () => (name ??= nameActor(em, principal.userId, principal.tokenId)),
    noteWait() {},
    requireSender() {},
    noteSignal() {},
  }
}

const LEFT_MESSAGES = { most: 100, mostOfPerson: 20, restMs: 4_000 }

/** Requests whose process died or failed. */
export function leftMessages(deps: IntakeDeps & { refusals: Refusals }): Row {
  const { database, logger, refusals } = deps

  async function finish(request: StoredHookRequest): Promise<void> {
    const found = await findHookHolder(database.em.fork(), request.hookId, null, null)
    if (found === null) {
      const words = 'The hook was revoked before its request could be processed; nothing was done'
      const end = { ...NOTHING_ELSE, outcome: 'refused', code: 'SENDER_REVOKED', message: words } as const
      await endHookRequest(database.em.fork(), request.id, end, null)
      return
    }
    const { holder } = found
    const caller = {
      principal: principalOfHook(holder),
      requestId: request.id,
      ip: request.ip,
      receivedAt: performance.now(),
    }
    const { outcome } = await bringToEnd(deps, caller, holder, request)
    if (outcome.code !== null) refusals.refused(holder.hookId, outcome.code, outcome.message)
    logger.info(
      { hookId: holder.hookId, hookRequestId: request.id, outcome: outcome.outcome },
      'a message of a hook was carried out late',
    )
  }

  return {
    name: 'messages of hooks',
    kind: 'messages',
    // Tries are in the ledger: processes agree on the order.
    async find() {
      if (!deps.signalsEnabled) return []
      const before = new Date((deps.now ?? Date.now)() - LEFT_AFTER_MS)
      const left = await leftHookRequests(database.em.fork(), before, LEFT_MESSAGES)
      return left.map((request) => ({
        id: request.id,
        name: `message ${request.id}`,
        async perform() {
          await noteTry(database.em.fork(), request.id)
          await finish(request)
        },
      }))
    },
  }
}
