import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { openDoorway, type Doorway } from './doorway.ts'
import { HICCUPS, type Hiccup } from './hiccups.ts'
import { Player } from './player.ts'
import { SCRIPTS as ALL_SCRIPTS } from './scripts.ts'
import { TRADING_VIEW, type SendingTimes } from './sender.ts'
import { templatesOf } from './templates.ts'

/** The long form takes TradingView's own times. */
const SCRIPTS = ALL_SCRIPTS.filter((s) => s.message === 'steps')
const IS_LONG = process.env['TRADINGVIEW'] === 'long'
const TIMES: SendingTimes = IS_LONG ? TRADING_VIEW : { ...TRADING_VIEW, repeatedAfter: 1_500 }
/** Strategies of each kind, each of which begins a bar after the one before: a hiccup meets each at another bar. */
const COPIES = IS_LONG ? 6 : 2
/** How long the service may take after a bar until it holds TradingView's positions, in milliseconds. */
const SETTLED_WITHIN = 20_000

/** A position that is not TradingView's; the first one of its symbol. */
interface Difference {
  after: string
  kind: string
  symbol: string
  ours: number
  theirs: number
}

describe('TradingView, played bar by bar', function () {
  this.timeout(IS_LONG ? 600_000 : 120_000)
  const service = useStack({ api: { RATE_LIMITS: 'on' } })
  const doorways: Doorway[] = []
  const players: Player[] = []
  const differences: Difference[] = []
  /** Statuses of the answers during each hiccup. */
  const answered = new Map<string, (number | null)[]>()

  before(async function () {
    this.timeout(IS_LONG ? 1_200_000 : 180_000)
    const { stack } = service
    await liftOrderLimit(stack)
    const person = await stack.signIn()
    for (const [kind, script] of SCRIPTS.entries()) {
      const { status, body } = await person.post('/tokens', {
        label: `TradingView ${kind}`,
        scopes: ['signals:write'],
      })
      assert.equal(status, 201, JSON.stringify(body))
      const doorway = await openDoorway(stack.addresses.api, body.data.token)
      doorways.push(doorway)
      for (let copy = 0; copy < COPIES; copy += 1) {
        const templates = templatesOf(script.message, stack.accountId)
        const { text } = templates[copy % templates.length]!
        const ticker = `ZT${letter(kind)}${letter(copy)}`
        const chart = { ticker, exchange: 'NASDAQ', interval: '1' }
        players.push(new Player(script, chart, { url: doorway.url, template: text, times: TIMES }, copy))
      }
    }
    const bars = Math.max(...players.map(({ bars: each }) => each))
    for (let bar = 0; bar < bars; bar += 1) {
      const hiccup = HICCUPS[bar - 2]
      await playBar(bar, hiccup)
    }
  })

  async function playBar(bar: number, hiccup: Hiccup | undefined): Promise<void> {
    const { stack } = service
    const before = players.map(({ deliveries }) => deliveries.length)
    const began = performance.now()
    const struck = hiccup?.strike(stack)
    await Promise.all([struck, ...players.map((player) => player.play(bar))])
    const played = performance.now()
    if (hiccup)
      answered.set(
        hiccup.title,
        players.flatMap(({ deliveries }, place) =>
          deliveries.slice(before[place]).flatMap(({ tries }) => tries.map(({ status }) => status)),
        ),
      )
    const after = hiccup?.title ?? 'nothing'
    differences.push(...(await untilEqual()).map((difference) => ({ ...difference, after })))
    console.log(
      `bar ${bar}, ${after}: ${(played - began).toFixed(0)} ms, settled after ${(performance.now() - played).toFixed(0)}`,
      JSON.stringify(count(answered.get(after) ?? [])),
    )
  }

  /** What still differs when the service had time to settle. */
  async function untilEqual(): Promise<Omit<Difference, 'after'>[]> {
    const known = new Set(differences.map(({ symbol }) => symbol))
    let found: Omit<Difference, 'after'>[] = []
    const look = async (): Promise<void> => {
      const { positions } = await service.stack.venue.ledger()
      const held = new Map(positions.map(({ symbol, qty }) => [symbol, Number(qty)]))
      found = players
        .map(({ script, chart: { ticker: symbol }, strategy }) => ({
          kind: script.title,
          symbol,
          ours: held.get(symbol) ?? 0,
          theirs: strategy.position,
        }))
        .filter(({ symbol, ours, theirs }) => ours !== theirs && !known.has(symbol))
      assert.deepEqual(found, [])
    }
    await eventually(look, { within: SETTLED_WITHIN, every: 100 }).catch(() => {})
    return found
  }

  after(async () => {
    for (const doorway of doorways) await doorway.close()
  })

  for (const { title } of SCRIPTS)
    it(`${title}: our position is TradingView's, or an alert names the difference`, async () => {
      const of = differences.filter(({ kind }) => kind === title)
      const { body } = await service.stack.api.get('/alerts?state=all&limit=500')
      const named = new Set(body.data.alerts.map(({ symbol }: { symbol: string | null }) => symbol))
      assert.deepEqual(
        of.filter(({ symbol }) => !named.has(symbol)),
        [],
        told(title),
      )
    })

  /** What was sent and answered, for those who look for the reason. */
  const told = (title: string): string =>
    players
      .filter(({ script }) => script.title === title)
      .flatMap(({ deliveries }) =>
        deliveries.map(
          ({ message, tries }) =>
            `${message.replaceAll(/\s+/g, ' ')} -> ${tries.map(({ status, answer }) => `${status} ${answer.slice(0, 200)}`).join(' | ')}`,
        ),
      )
      .join('\n')
})

const letter = (place: number): string => String.fromCodePoint('A'.codePointAt(0)! + place)

const count = (statuses: readonly (number | null)[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const status of statuses) counts[String(status)] = (counts[String(status)] ?? 0) + 1
  return counts
}
