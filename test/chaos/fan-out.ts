import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseClientOrderId } from '#domain/order.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { groupFaults, STORED_GROUPS, type StoredGroup } from '#test/support/group-faults.ts'
import { Stack } from '#test/support/stack.ts'
import { tradersOf, type Trader } from '#test/support/traders.ts'
import type { Ledger } from '#test/support/venue-desk.ts'
import { Havoc } from './havoc.ts'
import { Random } from './random.ts'

/** What a fan-out is to do. */
export interface FanOutOptions {
  /** Accounts that every signal is for. */
  accounts: number
  signals: number
  seed: number
  /** Mean milliseconds between two kill -9. */
  killEveryMs: number
  /** Milliseconds that the service has after the last kill until every exit has filled. */
  drainLimitMs: number
}

/** Signals wait for a service that is killed again and again, however many there are: none of them is too old to be sent. */
const SETTINGS = { api: { API_WORKER: 'on', SIGNAL_MAX_STALENESS: '1h' } }
const PATIENCE_MS = 4_000
/** Milliseconds between two signals of one person. */
const BETWEEN_MS = 1_000

/**
 * Sends signals for many accounts at once, each twice at the same moment and until it is answered, while the processes of the service
 * are killed. Returns what is wrong when everything has settled: on every account each signal has one entry and one exit, and every
 * message has one group.
 */
export async function runFanOut(
  options: FanOutOptions,
): Promise<{ faults: string[]; kills: number; drainMs: number }> {
  const stack = await Stack.start(SETTINGS)
  try {
    const traders = await tradersOf(stack, options.accounts)
    const havoc = new Havoc(stack, new Random(options.seed))
    havoc.begin(options.killEveryMs)
    const names = Array.from({ length: options.signals }, (_, number) => `ZTFAN${lettersOf(number)}`)
    const sending = traders.flatMap((trader) =>
      names.map(async (name, number) => {
        await sleep(number * BETWEEN_MS)
        await Promise.all([deliver(trader, name), deliver(trader, name)])
      }),
    )
    await Promise.all(sending)
    await havoc.end()
    const begun = performance.now()
    await eventually(() => assertClosed(stack, options.accounts * options.signals), {
      within: options.drainLimitMs,
      every: 500,
    })
    const drainMs = performance.now() - begun
    await havoc.release()
    const kills = Object.values(havoc.kills).reduce((sum, count) => sum + count, 0)
    return { faults: [...(await faultsOf(stack, traders, names))], kills, drainMs }
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}

/** Sends a signal until it is answered for good. */
async function deliver({ api, accountIds }: Trader, symbol: string): Promise<void> {
  const body = {
    symbol,
    action: 'openLong',
    accountIds,
    quantity: 1,
    executeMode: 'immediate',
    sourceId: symbol,
    exitTriggerType: 'immediate',
  }
  for (;;) {
    const answer = await api.post('/signals', body, PATIENCE_MS).catch(() => null)
    if (answer !== null && answer.status < 300) return
    assert.ok(answer === null || answer.status >= 500, JSON.stringify(answer?.body))
    await sleep(500)
  }
}

async function assertClosed(stack: Stack, signals: number): Promise<void> {
  const [row] = await stack.query<{ closed: number; all: number }>(
    `select count(*) filter (where exit_status = 'filled')::int as closed, count(*)::int as all from signals`,
  )
  assert.deepEqual(row, { closed: signals, all: signals })
}

async function* faultsOfAccounts(
  stack: Stack,
  traders: readonly Trader[],
  names: readonly string[],
): AsyncGenerator<string> {
  for (const keyId of traders.flatMap((trader) => trader.keyIds)) {
    const ledger = await stack.venue.ledger(keyId)
    for (const name of names) yield* faultsIn(ledger, keyId, name)
    if (ledger.positions.length > 0) yield `${keyId} holds ${JSON.stringify(ledger.positions)}`
  }
}

function* faultsIn({ orders }: Ledger, keyId: string, symbol: string): Generator<string> {
  for (const role of ['entry', 'exit']) {
    const sent = orders.filter(
      (order) => order.symbol === symbol && parseClientOrderId(order.client_order_id)?.role === role,
    )
    const filled = sent.filter(({ filled_qty }) => Number(filled_qty) === 1)
    // An exit that was let out and died without a fill is sent anew.
    if (filled.length !== 1 || (role === 'entry' && sent.length !== 1))
      yield `${keyId} has ${sent.length} orders as ${role} in ${symbol}, ${filled.length} of them filled`
  }
}

async function faultsOf(
  stack: Stack,
  traders: readonly Trader[],
  names: readonly string[],
): Promise<string[]> {
  const faults: string[] = []
  for await (const fault of faultsOfAccounts(stack, traders, names)) faults.push(fault)
  const groups = await stack.query<StoredGroup>(STORED_GROUPS)
  if (groups.length !== traders.length * names.length) faults.push(`there are ${groups.length} groups`)
  return [...faults, ...groupFaults(groups)]
}
