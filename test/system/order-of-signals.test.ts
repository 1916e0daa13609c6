import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ACTIONS, type Action } from '#domain/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accepted, heldAtVenue } from './sent-signal.ts'

/**
 * Signals of one symbol, immediate and scheduled, in any order of waking and with parts that are killed: what is held at the end is what
 * the order of their turns says. On every change a few symbols are played; `npm run test:order-of-signals` plays hundreds.
 */
const LONG = process.env['ORDER_OF_SIGNALS'] === 'long'
const [ROUNDS, SYMBOLS] = LONG ? [8, 40] : [1, 16]
const SHARES = 10

/** One signal of a play: what it asks for, and its instant in seconds after the play's; null for an immediate one. */
interface Wish {
  action: Action
  at: number | null
}

describe('signals of one symbol', function () {
  this.timeout(LONG ? 1_200_000 : 90_000)
  // More signals in a minute than one token may send.
  const service = useStack(LONG ? { api: { RATE_LIMITS: 'off' } } : {})

  before(async () => {
    const { stack } = service
    const unlimited = { maxOrdersPerMinute: null, maxOrdersPerDay: null }
    const person = await stack.signIn()
    assert.equal((await person.put(`/settings/risk/${stack.accountId}`, unlimited)).status, 200)
  })

  let symbols = 0
  const nextSymbol = (): string => {
    const letter = (place: number) => String.fromCharCode(65 + (Math.floor(symbols / 26 ** place) % 26))
    const symbol = `ZQ${letter(1)}${letter(0)}`
    symbols += 1
    return symbol
  }
  const until = (instant: number) => pause(Math.max(0, instant - Date.now()))

  /** Sends the wishes of a symbol: scheduled ones first, in their order, then immediate ones after the instant. */
  async function send(symbol: string, wishes: readonly Wish[], instant: number): Promise<void> {
    for (const { action, at } of wishes.filter((wish) => wish.at !== null)) {
      const scheduledProcessAt = new Date(instant + at! * 1_000).toISOString().slice(0, 19)
      await accepted(service.stack, {
        symbol,
        action,
        quantity: SHARES,
        executeMode: 'scheduled',
        scheduledProcessAt,
        timezone: 'UTC',
      })
    }
    await until(instant + LAST_INSTANT * 1_000)
    for (const { action } of wishes.filter((wish) => wish.at === null))
      await sendNow({ symbol, action, quantity: SHARES, executeMode: 'immediate', sourceId: randomUUID() })
  }

  /** Sends a signal again until the service has taken or refused it. */
  const sendNow = (wish: object) =>
    eventually(
      async () => {
        const { accountId, api } = service.stack
        const { status } = await api.post('/signals', { accountId, ...wish }, 20_000)
        assert.ok(status < 500, `answered ${status}`)
      },
      { within: 60_000 },
    )

  /** Plays pairs and triples at one instant, each in a symbol of its own; answers the differences from what was to be held. */
  async function play(
    plays: readonly (readonly Wish[])[],
    havoc: (instant: number) => Promise<void>,
  ): Promise<string[]> {
    const named = plays.map((wishes) => ({ symbol: nextSymbol(), wishes }))
    await Promise.all(named.map(({ symbol }) => service.stack.venue.pin(symbol, 100)))
    const instant = Math.ceil(Date.now() / 1_000) * 1_000 + (LONG ? 6_000 : 4_000)
    await Promise.all([havoc(instant), ...named.map(({ symbol, wishes }) => send(symbol, wishes, instant))])
    const wrong = async () => {
      const found = await Promise.all(
        named.map(async ({ symbol, wishes }) => {
          const [held, meant] = [Number(await heldAtVenue(service.stack, symbol)), heldAfter(inOrder(wishes))]
          return held === meant
            ? []
            : [`${symbol}: ${held} held, not ${meant}, after ${JSON.stringify(wishes)}`]
        }),
      )
      return found.flat()
    }
    await until(instant + 2_000)
    let last: string[] = []
    await eventually(async () => assert.deepEqual((last = await wrong()), []), { within: 25_000 }).catch(
      () => null,
    )
    return last
  }

  /** What becomes of the parts around the instant of a play. */
  const HAVOC: Record<string, (instant: number) => Promise<void>> = {
    nothing: async () => {},
    async worker(instant) {
      await until(instant + 200)
      await service.stack.parts.worker.restart()
    },
    async api(instant) {
      await until(instant + 500)
      await service.stack.parts.api.kill()
      await service.stack.parts.api.start()
    },
    async temporal(instant) {
      const { temporal } = service.stack.parts
      await until(instant - 500)
      await temporal.kill()
      await until(instant + 2_500)
      await temporal.start()
    },
  }

  it('that are scheduled for one instant open and close, or turn, in the order of their acceptance', async () => {
    const pairs: Action[][] = [
      ['openLong', 'closeLong'],
      ['openShort', 'closeShort'],
    ]
    const turns: Action[][] = [
      ['openLong', 'closeLong', 'openShort'],
      ['openShort', 'closeShort', 'openLong'],
    ]
    for (let round = 0; round < (LONG ? 5 : 1); round += 1) {
      const plays = Array.from({ length: 20 }, (_, place) =>
        (place % 2 ? turns : pairs)[Math.floor(place / 2) % 2]!.map((action) => ({ action, at: 0 })),
      )
      assert.deepEqual(await play(plays, HAVOC['nothing']!), [])
    }
  })

  for (const part of LONG ? Object.keys(HAVOC) : ['worker'])
    it(`in pairs and triples at random leave what the order of their turns says, with the end of ${part}`, async () => {
      for (let round = 0; round < ROUNDS; round += 1)
        assert.deepEqual(await play(Array.from({ length: SYMBOLS }, anyWishes), HAVOC[part]!), [])
    })

  if (LONG)
    it('in a burst of 200 pairs, a second apart, all close what they have opened', async () => {
      const pair: Wish[] = [
        { action: 'openLong', at: 0 },
        { action: 'closeLong', at: 1 },
      ]
      assert.deepEqual(
        await play(
          Array.from({ length: 200 }, () => pair),
          HAVOC['nothing']!,
        ),
        [],
      )
    })
})

/** Seconds after the instant of a play at which its last scheduled signals are due. */
const LAST_INSTANT = 1

const oneOf = <T>(choices: readonly T[]): T => choices[randomInt(choices.length)]!
const anyWishes = (): Wish[] =>
  Array.from({ length: oneOf([2, 3]) }, () => ({
    action: oneOf(ACTIONS),
    at: oneOf([0, 0, LAST_INSTANT, null]),
  }))

/** By their instants, and those of one instant as they were accepted; immediate ones come after the instant of the play. */
const inOrder = (wishes: readonly Wish[]): Action[] =>
  [
    ...wishes.filter(({ at }) => at !== null).toSorted((a, b) => a.at! - b.at!),
    ...wishes.filter(({ at }) => at === null),
  ].map(({ action }) => action)

/** Shares held after signals in their order, negative for short ones. An opening waits for a close that comes after it. */
function heldAfter(actions: readonly Action[]): number {
  let held = 0
  const waiting: number[] = []
  for (const action of actions) {
    const sign = action.endsWith('Long') ? 1 : -1
    if (action.startsWith('close')) held = Math.sign(held) === sign ? held - sign * SHARES : held
    else if (Math.sign(held) === -sign) waiting.push(sign)
    else held += sign * SHARES
    if (held === 0) held += SHARES * waiting.splice(0).reduce((sum, one) => sum + one, 0)
  }
  return held
}
