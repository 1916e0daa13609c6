import assert from 'node:assert/strict'
import type { Quote } from '#brokers/port.ts'
import { findAccountConnection } from '#db/account/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { noteResting, readProtection, trackProtection } from '#db/exit/protections.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor, type OrderPurpose, type OrderShape } from '#domain/order/order.ts'
import type { CrossedLevel, Protection } from '#domain/exit/protection.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { eventually } from '#test/support/eventually.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { ProtectionWatch } from '#worker/feed/protection-watch.ts'

const NOTHING: Protection = { stop: null, target: null, trail: null, breakEven: null, until: 'closed' }
const HOUR = 3_600_000
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString()
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('the watch of prices of an account, in an open session', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let broker: ScriptedBroker
  let accountId: string
  let crossed: { signalId: string; level: CrossedLevel }[]
  let stop: () => Promise<void>
  beforeEach(async () => {
    broker = new ScriptedBroker()
    broker.sessions = [-1, 0, 1].map((days) => {
      const opens = Date.now() - HOUR + days * 24 * HOUR
      const [opensAt, closesAt] = [opens, opens + 2 * HOUR].map((at) => new Date(at).toISOString())
      return { date: opensAt!.slice(0, 10), opensAt: opensAt!, closesAt: closesAt! }
    })
    accountId = (await createAccount(em)).id
    crossed = []
    stop = async () => {}
  })
  afterEach(() => stop())

  /** Ten shares from 100, and an exit order at the broker. */
  async function hold(protection: Protection, shape: Partial<OrderShape>, purpose: OrderPurpose = 'plan') {
    const signal = await createSignal(em, { accountId, protection })
    await recordAccepted(em, { ...withFill(orderReport(signal), '10'), status: 'FILLED' })
    await trackProtection(em, signal.id)
    const request = {
      ...orderReport(signal, { role: 'exit', quantity: '10', limitPrice: null, ...shape }),
      clientOrderId: clientOrderIdFor(signal.id, purpose, 1),
    }
    await applyOrderReport(em, accountId, broker.accept(request))
    const { orderType = 'limit', limitPrice = null, stopPrice = null } = shape
    if (purpose === 'plan' && orderType !== 'market')
      await noteResting(em, signal.id, { orderType, limitPrice, stopPrice, timeInForce: 'gtc' }, 0)
    return signal.id
  }

  async function watch(times: { movesApart?: number; askEvery?: number; compareEvery?: number } = {}) {
    const end = new AbortController()
    const running = new ProtectionWatch({
      em,
      broker,
      announcer: {
        exitNews: async (signalId) => {
          const level = (await readProtection(em.fork(), signalId))?.crossed
          if (level) crossed.push({ signalId, level })
        },
      },
      account: (await findAccountConnection(em, accountId))!,
      plans: { has: async () => true },
      times: { askEvery: 20, watching: 20, idle: 20, ...times },
      log: loggerInMemory().log,
    }).run(end.signal)
    stop = async () => {
      end.abort()
      await running
    }
  }
  const say = (bid: Decimal, ask: Decimal, last: Decimal, quotedAt = ago(0), pricedAt = ago(0)) => {
    broker.quote = { bid, ask, quotedAt } satisfies Partial<Quote>
    broker.lastPrice = last
    broker.pricedAt = pricedAt
  }
  const looks = (count: number) =>
    eventually(() => assert.ok((broker.requests.get('getQuotes') ?? 0) > count))
  const best = async (signalId: string) => (await readProtection(em, signalId))!.best
  const priceSeen = async (signalId: string) => (await readProtection(em, signalId))!.price?.price

  const TRAILS: Protection = { ...NOTHING, stop: { amount: '2' }, trail: { amount: '2' } }
  const STOP_AT_98 = { orderType: 'stop', stopPrice: '98' } as const

  it('moves and triggers nothing by a trade of hours ago within a wide quote, for any trail', async () => {
    const signalId = await hold(TRAILS, STOP_AT_98)
    say('96', '108', '104', ago(0), ago(2 * HOUR))
    await watch()
    await looks(5)
    say('99.9', '100.1', '104', ago(0), ago(2 * HOUR))
    await looks(10)
    assert.deepEqual(
      [await best(signalId), crossed, broker.requests.get('changeOrder')],
      ['100', [], undefined],
    )
  })

  it('moves and triggers nothing by prices of before the fill that are reported after it', async () => {
    const signalId = await hold(TRAILS, STOP_AT_98)
    await em.execute(`update orders set filled_at = now() where signal_id = ? and role = 'entry'`, [signalId])
    say('103.95', '104.05', '104', ago(5_000), ago(5_000))
    await watch()
    await looks(5)
    assert.deepEqual([await best(signalId), broker.requests.get('changeOrder')], ['100', undefined])
    say('104.45', '104.55', '104.5')
    await eventually(async () => assert.equal(await best(signalId), '104.5'))
  })

  it('reports that a target is reached while its stream is silent, as fast as it asks for what is not streamed', async () => {
    const signalId = await hold(
      { ...NOTHING, stop: { amount: '5' }, target: { amount: '4' } },
      { orderType: 'stop', stopPrice: '95' },
    )
    const streaming: Pick<ScriptedBroker, 'getQuotes'> & { streamQuotes?: unknown } = broker
    streaming.streamQuotes = async (
      { onReady, onFollowing }: { onReady(f: (s: string[]) => void): void; onFollowing(s: string[]): void },
      signal: AbortSignal,
    ) => {
      onReady(onFollowing)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    say('99.9', '100.1', '100')
    await watch({ compareEvery: 60_000 })
    await eventually(async () => assert.equal(await priceSeen(signalId), '100'))
    say('106', '106.1', '106')
    await eventually(() => assert.equal(crossed[0]?.level.level, 'target'))
    assert.equal(crossed[0]?.level.level, 'target', 'it is in the ledger before anybody is told')
  })

  const BESIDE: [string, Partial<OrderShape>][] = [
    ['by a limit that is not reached', { orderType: 'limit', limitPrice: '110', timeInForce: 'day' }],
    ['by a stop that lies lower', { orderType: 'stop', stopPrice: '80', timeInForce: 'day' }],
    ['in the closing auction', { orderType: 'market', timeInForce: 'cls' }],
  ]
  for (const [words, shape] of BESIDE)
    it(`reports that the stop is reached while an exit at a time rests ${words}`, async () => {
      await hold({ ...NOTHING, stop: { percent: '5' } }, shape, 'timed')
      say('93.9', '94.1', '94')
      await watch()
      await eventually(() => assert.equal(crossed[0]?.level.level, 'stop'))
      assert.equal(broker.requests.get('changeOrder'), undefined, 'it is not moved')
    })

  it('moves the stops of all positions that trail while all prices rise, in turn', async () => {
    const signalIds: string[] = []
    for (let made = 0; made < 8; made += 1)
      signalIds.push(
        await hold({ ...NOTHING, trail: { percent: '4' } }, { orderType: 'stop', stopPrice: '96' }),
      )
    const lies = () =>
      signalIds.map((id) => broker.accepted.get(clientOrderIdFor(id, 'plan', 1))!.report.stopPrice)
    await watch({ movesApart: 40 })
    for (let turn = 1; turn <= 45 && lies().includes('96'); turn += 1) {
      broker.lastPrice = `${100 + turn}`
      await pause(60)
    }
    assert.ok(!lies().includes('96'), `${lies().join(', ')} at ${broker.lastPrice}`)
  })
})
