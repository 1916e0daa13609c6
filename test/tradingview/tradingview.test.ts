import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '#test/chaos/random.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { anyScript } from './any-script.ts'
import { HICCUPS, POSTGRES_STANDS_STILL, type Hiccup } from './hiccups.ts'
import { Player } from './player.ts'
import { ENTRY, REVERSING_WITH_EXITS_AT_ONE_MOMENT, SCRIPTS, type Script } from './scripts.ts'
import { TRADING_VIEW, type SendingTimes } from './sender.ts'
import { templatesOf } from './templates.ts'
import { Theatre, type Difference } from './theatre.ts'

/** The long form takes TradingView's own times, and plays strategies that a seed decides beside those that are told. */
const IS_LONG = process.env['TRADINGVIEW'] === 'long'
const SEED = Number(process.env['TRADINGVIEW_SEED'] ?? 1)
/** The short form is patient: beside other tests a small machine answers late, which is not what is held here. */
const TIMES: SendingTimes = IS_LONG ? TRADING_VIEW : { givenUpAfter: 10_000, repeatedAfter: 4_000 }
/** Strategies of each kind, each of which begins a bar after the one before: a hiccup meets each at another bar. */
const COPIES = IS_LONG ? 6 : 2
const ANY = IS_LONG ? 60 : 0
/** Together they stay below 200 requests a minute by token. */
const TOKENS = 5
/** As many charts as one token may send alerts of in a minute; in the short form with room for requests whose count came too late to be taken back. */
const CHARTS = IS_LONG ? 200 : 190
/** From the close of the bar until PostgreSQL stands still: most alerts are on their way. */
const UNDER_WAY_MS = 200

describe('TradingView, played bar by bar', function () {
  this.timeout(IS_LONG ? 900_000 : 120_000)
  const service = useStack({ api: { RATE_LIMITS: 'on' } })
  const players: Player[] = []
  const differences: Difference[] = []
  let theatre: Theatre

  before(async function () {
    this.timeout(IS_LONG ? 1_800_000 : 180_000)
    theatre = await Theatre.open(service.stack)
    const random = new Random(SEED)
    const scripts = [
      ...SCRIPTS.flatMap((script) => Array.from({ length: COPIES }, () => script)),
      ...Array.from({ length: ANY }, () => anyScript(random, random.pick(['steps', 'target']))),
    ]
    const addresses: string[] = []
    for (let token = 0; token < TOKENS; token += 1) addresses.push(await theatre.address())
    for (const [place, script] of scripts.entries())
      players.push(playerOf(script, `ZT${letters(place)}`, addresses[place % TOKENS]!, place % COPIES))
    const hiccups = IS_LONG ? HICCUPS : HICCUPS.filter(({ isLongOnly }) => isLongOnly !== true)
    const bars = Math.max(...players.map((player) => player.bars))
    for (let bar = 0; bar < bars; bar += 1) await playBar(bar, hiccups[bar - 1])
  })

  const playerOf = (script: Script, ticker: string, url: string, place: number): Player => {
    const templates = templatesOf(script.message, service.stack.accountId)
    const template = templates[place % templates.length]!.text
    return new Player(
      script,
      { ticker, exchange: 'NASDAQ', interval: '1' },
      { url, template, times: TIMES },
      place,
    )
  }

  async function playBar(bar: number, hiccup: Hiccup | undefined): Promise<void> {
    const begun = performance.now()
    await Promise.all([hiccup?.strike(service.stack), ...players.map((player) => player.play(bar))])
    const played = performance.now()
    differences.push(...(await theatre.differences(players)))
    const took = `${(played - begun).toFixed(0)} ms, equal after ${(performance.now() - played).toFixed(0)} more`
    console.log(`      bar ${bar}, ${hiccup?.title ?? 'nothing happens'}: ${took}`)
  }

  for (const title of new Set([
    ...SCRIPTS.map((script) => script.title),
    ...(IS_LONG ? ['any strategy'] : []),
  ]))
    it(`${title}: the position is TradingView's, or an alert names the difference`, async () => {
      const unnamed = await theatre.unnamed(differences.filter(({ kind }) => kind === title))
      assert.deepEqual(unnamed, [], `seed ${SEED}\n${sentFor(unnamed)}`)
    })

  it(`${REVERSING_WITH_EXITS_AT_ONE_MOMENT.title}: every position is TradingView's`, async () => {
    const player = playerOf(REVERSING_WITH_EXITS_AT_ONE_MOMENT, 'ZTZZZ', await theatre.address(), 0)
    players.push(player)
    for (let bar = 0; bar < player.bars; bar += 1) {
      await player.play(bar)
      const differing = await theatre.differences([player])
      assert.deepEqual(differing, [], `bar ${bar}\n${sentFor(differing)}`)
    }
  })

  it(`${CHARTS} charts at one close, while PostgreSQL is frozen: every position is TradingView's`, async () => {
    const url = await theatre.address()
    const charts = Array.from({ length: CHARTS }, (_, place) =>
      playerOf(ENTRY, `ZQ${letters(place)}`, url, 0),
    )
    for (const chart of charts) await chart.play(0)
    const striking = sleep(UNDER_WAY_MS).then(() => POSTGRES_STANDS_STILL.strike(service.stack))
    await Promise.all([striking, ...charts.map((chart) => chart.play(1))])
    players.push(...charts)
    const tries = charts.flatMap(({ deliveries }) => deliveries.flatMap((each) => each.tries))
    const answers = Map.groupBy(tries, ({ status }) => status ?? 'no answer')
    const slowest = Math.max(...tries.map(({ tookMs }) => tookMs))
    console.log(
      `      answers: ${[...answers].map(([status, { length }]) => `${length} × ${status}`).join(', ')}; ` +
        `the slowest after ${slowest.toFixed(0)} ms`,
    )
    const unnamed = await theatre.unnamed(await theatre.differences(charts))
    assert.deepEqual(unnamed, [], sentFor(unnamed))
  })

  after(() => theatre?.close())

  /** What was sent for these symbols, and answered. */
  const sentFor = (of: readonly Difference[]): string =>
    players
      .filter(({ chart }) => of.some(({ symbol }) => symbol === chart.ticker))
      .flatMap(({ deliveries }) => deliveries)
      .map(({ message, tries }) =>
        [message.replaceAll(/\s+/g, ' '), ...tries.map(({ status, answer }) => `${status} ${answer}`)].join(
          '\n  ',
        ),
      )
      .join('\n')
})

/** Three letters of their own for each number. */
const letters = (place: number): string =>
  [place / 676, (place / 26) % 26, place % 26]
    .map((part) => String.fromCodePoint('A'.codePointAt(0)! + Math.floor(part)))
    .join('')
