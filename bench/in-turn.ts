import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { Stack } from '#test/support/stack.ts'
import { tradersOf, type Trader } from '#test/support/traders.ts'
import { postSignal } from './post.ts'

/** Signals of several kinds that take turns, one request at a time. */
interface InTurn<Kind extends string, Row, Measured> {
  /** Accounts of the trader who sends them. */
  accounts: number
  /** Signals of each kind. */
  signals: number
  /** Rounds before anything is measured: Node goes on compiling, and statements are prepared. */
  warmUp: number
  /** What the signals of a kind say beside buying a share at once. */
  kinds: Record<Kind, (accountIds: readonly string[]) => object>
  /** Reads of the ledger, in one row, how long the signal took. */
  sqlOf: (symbol: string) => string
  /** What is noted of a signal; null as long as its row does not tell it. */
  read: (row: Row | undefined, signal: { kind: Kind; sentAt: number }) => Measured | null
}

const SETTINGS = {
  api: { API_WORKER: 'on' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}

/** Brings the service up, measures the signals, and tears everything down. */
export async function measureInTurn<Kind extends string, Row extends object, Measured>(
  { accounts, signals, warmUp, kinds, sqlOf, read }: InTurn<Kind, Row, Measured>,
  tell: (what: string) => void,
): Promise<Record<Kind, Measured[]>> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  const measure = async ({ api, accountIds }: Trader, kind: Kind, symbol: string): Promise<Measured> => {
    const sentAt = Date.now()
    const body = {
      accountId: accountIds[0],
      symbol,
      action: 'openLong',
      quantity: 1,
      executeMode: 'immediate',
      ...kinds[kind](accountIds),
    }
    const { status, body: answer } = await postSignal(api, body)
    assert.ok(status === 201 || status === 202, JSON.stringify(answer))
    return eventually(
      async () => {
        const [row] = await stack.query<Row>(sqlOf(symbol))
        const measured = read(row, { kind, sentAt })
        assert.ok(measured !== null)
        return measured
      },
      { within: 30_000, every: 50 },
    )
  }
  try {
    const [trader] = (await tradersOf(stack, accounts)) as [Trader]
    const names = Object.keys(kinds) as Kind[]
    const figures = Object.fromEntries(names.map((kind) => [kind, []])) as unknown as Record<Kind, Measured[]>
    for (let round = -warmUp; round < signals; round += 1) {
      if (round === 0) tell(`sending ${signals} signals of each kind`)
      for (const [place, kind] of names.entries()) {
        const symbol = `ZTBENCH${lettersOf(round + warmUp)}${lettersOf(place)}`
        const measured = await measure(trader, kind, symbol)
        if (round >= 0) figures[kind].push(measured)
      }
    }
    return figures
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    await stack.close()
  }
}
