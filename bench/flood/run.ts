import assert from 'node:assert/strict'
import { count } from '#local/commands/arguments.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { Stack } from '#test/support/stack.ts'
import { percentile } from '../load.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import { callUntil, type FloodAnswer } from '#test/support/flood-caller.ts'

/** How much is measured of more and more callers. */
export interface FloodOptions {
  /** How many callers send at once, in one step after the other, with commas between. */
  callers: string
  /** Length of each step. */
  seconds: number
  /** Access tokens that the callers share. */
  tokens: number
  /** A caller that was refused waits as long as it was told; otherwise it sends the next signal at once. */
  patient: boolean
}

/** Milliseconds that half, and 95 of 100, took at most; null for none. */
export type Spread = { p50: number; p95: number } | null

/** What was measured with so many callers. */
export interface FloodStep {
  callers: number
  acceptedPerSecond: number
  /** Orders that were let out, by the time until the last one was. */
  executedPerSecond: number
  /** Of accepted signals, from the request to the answer. */
  answered: Spread
  /** Of accepted signals, from their storing until their order was let out. */
  left: Spread
  /** Accepted signals whose order was never let out, as too old. */
  stale: number
  refused: { code: string; perSecond: number; took: Spread }[]
}

export interface Flood {
  options: FloodOptions
  steps: FloodStep[]
}

/** Signals go to so many symbols in turn: those of one symbol wait for each other where they depend on each other. */
const SYMBOLS = 100
const WARM_UP = { callers: 5, milliseconds: 3_000 }
const SETTINGS = {
  api: { API_WORKER: 'on', RATE_LIMITS: 'off' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}

/** Brings the service up, floods it step by step, and tears everything down. */
export async function runFlood(options: FloodOptions, tell: (what: string) => void): Promise<Flood> {
  const steps = options.callers.split(',').map((callers) => count('callers', callers))
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  try {
    await liftOrderLimit(stack)
    const tokens = await makeTokens(stack, options.tokens)
    await step(stack, WARM_UP.callers, WARM_UP.milliseconds, tokens, false)
    const measured: FloodStep[] = []
    for (const callers of steps) {
      tell(`${callers} callers`)
      measured.push(await step(stack, callers, options.seconds * 1_000, tokens, options.patient))
    }
    return { options, steps: measured }
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}

async function makeTokens(stack: Stack, tokens: number): Promise<string[]> {
  const person = await stack.signIn()
  const made: string[] = [stack.token]
  while (made.length < tokens) {
    const { status, body } = await person.post('/tokens', {
      label: `flood ${made.length}`,
      scopes: ['signals:write'],
    })
    assert.equal(status, 201, JSON.stringify(body))
    made.push(body.data.token)
  }
  return made
}

async function step(
  stack: Stack,
  callers: number,
  milliseconds: number,
  tokens: string[],
  isPatient: boolean,
): Promise<FloodStep> {
  let sent = 0
  const nextBody = () => ({
    accountId: stack.accountId,
    symbol: `ZTFLOOD${lettersOf(sent++ % SYMBOLS)}`,
    action: 'openLong',
    quantity: 1,
    executeMode: 'immediate',
  })
  const begun = performance.now()
  const begunAt = Date.now()
  const calling = Array.from({ length: callers }, (_, caller) => {
    const token = tokens[caller % tokens.length]!
    return callUntil(begun + milliseconds, { address: stack.addresses.api, token, nextBody }, isPatient)
  })
  const answers = (await Promise.all(calling)).flat()
  const seconds = (performance.now() - begun) / 1_000
  const accepted = answers.filter(({ signalId }) => signalId !== null)
  const ends = await endsOf(stack, accepted)
  const left = ends.flatMap(({ leftAt, acceptedAt }) => (leftAt === null ? [] : [leftAt - acceptedAt]))
  const lastLeft = Math.max(begunAt, ...ends.map(({ leftAt }) => leftAt ?? 0))
  return {
    callers,
    acceptedPerSecond: accepted.length / seconds,
    executedPerSecond: left.length / Math.max((lastLeft - begunAt) / 1_000, seconds),
    answered: spread(accepted.map(({ took }) => took)),
    left: spread(left),
    stale: ends.length - left.length,
    refused: Object.entries(Object.groupBy(answers, ({ code }) => code ?? '')).flatMap(([code, refusals]) =>
      code === ''
        ? []
        : [{ code, perSecond: refusals!.length / seconds, took: spread(refusals!.map(({ took }) => took)) }],
    ),
  }
}

/** When accepted signals were stored and their orders let out, once all have ended; milliseconds since the epoch. */
function endsOf(
  stack: Stack,
  accepted: FloodAnswer[],
): Promise<{ acceptedAt: number; leftAt: number | null }[]> {
  const ids = accepted.map(({ signalId }) => `'${signalId}'`).join() || 'null'
  return eventually(
    async () => {
      const rows = await stack.query<{ acceptedAt: number; leftAt: number | null; isOver: boolean }>(
        `select (extract(epoch from s.accepted_at) * 1000)::float8 as "acceptedAt",
           (extract(epoch from min(o.sent_at)) * 1000)::float8 as "leftAt",
           exists (select from signal_events e where e.signal_id = s.id and e.kind = 'closed')
             or s.status in ('rejected', 'cancelled', 'error') as "isOver"
         from signals s left join orders o on o.signal_id = s.id where s.id in (${ids}) group by s.id`,
      )
      assert.equal(rows.length, accepted.length, 'every accepted signal is stored')
      const open = rows.filter(({ isOver }) => !isOver).length
      assert.equal(open, 0, `${open} signals have not ended`)
      return rows
    },
    { within: 180_000, every: 500 },
  )
}

const spread = (milliseconds: number[]): Spread =>
  milliseconds.length === 0
    ? null
    : { p50: percentile(milliseconds, 0.5), p95: percentile(milliseconds, 0.95) }
