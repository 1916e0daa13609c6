import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { ACTIONS, type Action } from '#domain/signal/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accepted, buyNow } from '#test/service/sent-signal.ts'

/**
 * Signals of one symbol, immediate and scheduled, in any order of waking and with parts that are killed: what is held at the end is
 * what the order of their turns says. `npm test -- order-of-signals` plays many more.
 */
const LONG = process.env['ORDER_OF_SIGNALS'] === 'long'
const ROUNDS = LONG ? 5 : 1
const SYMBOLS = LONG ? 30 : 12
const SHARES = 10
/** Milliseconds between the sending of the first signal of a play and the instant of its first scheduled one. */
const LEAD = LONG ? 10_000 : 4_000

/** Milliseconds between the first signals of two symbols, so that storing a large play is no flood. */
const SPACING = 50

/** One signal of a play, and its instant in milliseconds after that of the play; an immediate one is sent then. */
interface TradeRequest {
  action: Action
  at: number
  isScheduled: boolean
}

const anyOf = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!

const atOnce = (...actions: Action[]): TradeRequest[] =>
  actions.map((action) => ({ action, at: 0, isScheduled: true }))

/**
 * A pair or a triple. On every change none that waits in vain for a close, which takes 15 s.
 */
function anyRequests(): TradeRequest[] {
  const wishes = drawRequests()
  return LONG || !hasVainWait(inTurn(wishes)) ? wishes : anyRequests()
}

const inTurn = (wishes: readonly TradeRequest[]): Action[] =>
  wishes.toSorted((a, b) => a.at - b.at).map(({ action }) => action)

/** An immediate signal keeps away from the instants of scheduled ones, so that its place is known. */
const drawRequests = (): TradeRequest[] =>
  Array.from({ length: anyOf([2, 3]) }, () =>
    Math.random() < 0.7
      ? { action: anyOf(ACTIONS), at: anyOf([0, 0, 1_000]), isScheduled: true }
      : { action: anyOf(ACTIONS), at: anyOf([-400, 500, 1_500]), isScheduled: false },
  )

describe('signals of one symbol', function () {
  this.timeout(LONG ? 900_000 : 90_000)
  // More signals in a minute than one token may send.
  const service = useStack(LONG ? { api: { RATE_LIMITS: 'off' } } : {})

  before(async () => {
    const { stack } = service
    const person = await stack.signIn()
    const unlimited = { maxOrdersPerMinute: null, maxOrdersPerDay: null }
    assert.equal((await person.put(`/settings/risk/${stack.accountId}`, unlimited)).status, 200)
  })

  let symbols = 0
  function nextSymbol(): string {
    const letter = (place: number) => String.fromCharCode(65 + (Math.floor(symbols / 26 ** place) % 26))
    // The long form plays more symbols than two letters name.
    const symbol = `ZQ${letter(2)}${letter(1)}${letter(0)}`
    symbols += 1
    return symbol
  }

  /** Sends the scheduled ones in their order, then each immediate one at its moment; an answer may be lost while a part is away. */
  async function send(symbol: string, wishes: readonly TradeRequest[], instant: number): Promise<void> {
    for (const { action, at } of wishes.filter(({ isScheduled }) => isScheduled))
      await accepted(service.stack, {
        symbol,
        action,
        quantity: SHARES,
        executeMode: 'scheduled',
        scheduledProcessAt: new Date(instant + at).toISOString().slice(0, 19),
        timezone: 'UTC',
      })
    await Promise.all(
      wishes
        .filter(({ isScheduled }) => !isScheduled)
        .map(async ({ action, at }, place) => {
          await pause(Math.max(0, instant + at + place * 50 - Date.now()))
          const body = buyNow(service.stack, { symbol, action, quantity: SHARES })
          await service.stack.api.post('/signals', body, 20_000).catch(() => null)
        }),
    )
  }

  /** The actions by symbol that the ledger has accepted, in the order of their turns. */
  async function turns(): Promise<Map<string, Action[]>> {
    const rows = await service.stack.query<{ symbol: string; action: Action }>(
      `select symbol, action from signals order by queued_at, sequence`,
    )
    const bySymbol = Map.groupBy(rows, ({ symbol }) => symbol)
    return new Map([...bySymbol].map(([symbol, signals]) => [symbol, signals.map(({ action }) => action)]))
  }

  /** Plays each list in a symbol of its own; answers the symbols that hold something else than they are to. */
  async function play(
    plays: readonly (readonly TradeRequest[])[],
    disturb: ((instant: number) => Promise<unknown>) | null = null,
  ): Promise<string[]> {
    const named = plays.map((wishes) => ({ symbol: nextSymbol(), wishes }))
    await Promise.all(named.map(({ symbol }) => service.stack.venue.pin(symbol, 100)))
    const instant = Math.ceil((Date.now() + named.length * SPACING) / 1_000) * 1_000 + LEAD
    const disturbed = disturb?.(instant)
    await Promise.all(
      named.map(async ({ symbol, wishes }, place) => {
        await pause(place * SPACING)
        await send(symbol, wishes, instant)
      }),
    )
    await disturbed
    await eventually(
      async () => {
        const [open] = await service.stack.query<{ count: string }>(
          `select count(*) from signals where status in ('scheduled', 'queued', 'transmitted')
             or status = 'executed' and entry_ended_at is null`,
        )
        assert.equal(Number(open!.count), 0, 'signals are under way')
      },
      { within: 80_000, every: 500 },
    )
    const accepting = await turns()
    const { positions } = await service.stack.venue.ledger()
    return named.flatMap(({ symbol, wishes }) => {
      const actions = accepting.get(symbol) ?? []
      const held = Number(positions.find((position) => position.symbol === symbol)?.qty ?? 0)
      const meant = heldAfter(actions, disturb !== null)
      return meant.has(held)
        ? []
        : [
            `${symbol}: ${held} held, not ${[...meant].join(' or ')}, after ${actions.join(', ')} (${JSON.stringify(wishes)})`,
          ]
    })
  }

  it('signals of one symbol that are scheduled for one instant open and close, or turn, in the order of their acceptance', async () => {
    const kinds = [
      atOnce('openLong', 'closeLong'),
      atOnce('openShort', 'closeShort'),
      atOnce('openLong', 'closeLong', 'openShort'),
      atOnce('openShort', 'closeShort', 'openLong'),
      atOnce('closeLong', 'openLong'),
    ]
    for (let round = 0; round < ROUNDS; round += 1)
      assert.deepEqual(await play(Array.from({ length: 25 }, (_, place) => kinds[place % kinds.length]!)), [])
  })

  it('signals of one symbol in any mix hold at the end what the order of their turns says', async function () {
    if (!LONG) this.skip()
    for (let round = 0; round < ROUNDS; round += 1)
      assert.deepEqual(await play(Array.from({ length: SYMBOLS }, anyRequests)), [])
  })

  it('signals of one symbol in a burst of 200 pairs, a second apart, all close what they have opened', async function () {
    if (!LONG) this.skip()
    const pair: TradeRequest[] = [
      { action: 'openLong', at: 0, isScheduled: true },
      { action: 'closeLong', at: 1_000, isScheduled: true },
    ]
    assert.deepEqual(await play(Array.from({ length: 200 }, () => pair)), [])
  })

  for (const name of ['worker', 'api', 'temporal'] as const)
    it(`signals of one symbol in any mix hold it when the part ${name} is killed meanwhile`, async function () {
      if (!LONG && name !== 'worker') this.skip()
      const kill = async (instant: number): Promise<void> => {
        await pause(Math.max(0, instant + anyOf([-100, 50, 300, 1_050]) - Date.now()))
        await service.stack.parts[name].kill()
        await service.stack.parts[name].start()
        await service.stack.untilReady()
      }
      for (let round = 0; round < ROUNDS; round += 1)
        assert.deepEqual(await play(Array.from({ length: SYMBOLS }, anyRequests), kill), [])
    })
})

/**
 * Shares that may be held after signals in the order of their turns, negative for short ones. An opening against a position of the
 * other side waits for a close that comes after it; where parts are away, it may be refused before that is carried out.
 */
function heldAfter(actions: readonly Action[], mayMiss: boolean): Set<number> {
  return new Set(endsOf(actions, mayMiss).map(({ held }) => held))
}

const hasVainWait = (actions: readonly Action[]): boolean =>
  endsOf(actions, false).some(({ waiting }) => waiting.length > 0)

function endsOf(
  actions: readonly Action[],
  mayMiss: boolean,
): { held: number; waiting: readonly number[] }[] {
  const ends: { held: number; waiting: readonly number[] }[] = []
  const step = (place: number, held: number, waiting: readonly number[]): void => {
    const action = actions[place]
    if (action === undefined) {
      ends.push({ held, waiting })
      return
    }
    const sign = action.endsWith('Long') ? 1 : -1
    if (action.startsWith('open')) {
      if (Math.sign(held) === -sign) step(place + 1, held, [...waiting, sign])
      else step(place + 1, held + sign * SHARES, waiting)
      return
    }
    const left = Math.sign(held) === sign ? held - sign * SHARES : held
    if (left !== 0 || mayMiss) step(place + 1, left, waiting)
    if (left === 0) step(place + 1, SHARES * waiting.reduce((sum, one) => sum + one, 0), [])
  }
  step(0, 0, [])
  return ends
}
