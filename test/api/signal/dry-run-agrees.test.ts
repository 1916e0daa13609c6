import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { createActivities } from '#activities/index.ts'
import type { Broker } from '#brokers/port.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { setHalt } from '#db/risk/halts.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { findSignal } from '#db/signal/signals.ts'
import { termsOf } from '#db/signal/terms.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { cases } from '#test/support/generators.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { fillAtVenue, StillVenue } from '#test/support/still-venue.ts'
import { signalBody, type Answer, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

const CASES = cases(2_000, 60)
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const scenes = fc.record({
  isActive: mostly(true, false),
  mode: mostly('PAPER', 'LIVE'),
  halt: mostly<'pauseEntries' | 'reduceOnly' | null>(null, 'pauseEntries', 'reduceOnly'),
  limits: mostly<object>({}, { maxOrderShares: '8' }, { maxPositionShares: '9' }, { marketHours: 'regular' }),
  /** Shares, and dollars. */
  held: fc.constantFrom(0, 0, 6),
  cash: mostly(100_000, 3_000),
  /** A moment before: an equal request, or one that has the sourceId besides. */
  earlier: mostly<'twin' | 'named' | null>(null, 'twin', 'named'),
})
const wishes = fc.record({
  isByHand: fc.boolean(),
  side: fc.constantFrom('BUY', 'SELL'),
  action: fc.constantFrom('openLong', 'openShort', 'closeLong', 'closeShort'),
  quantity: fc.constantFrom(1, 5, 12, 0.5, 7.25, 300),
  quantityType: mostly('fixed', 'percentEquity', 'dollarAmount'),
  symbol: mostly('AAPL', 'NOFRAC', 'NOSHORT', 'XXNONE'),
  limitPrice: fc.constantFrom(undefined, 99.5, 101),
  timeInForce: mostly('day', 'gtc'),
  executeMode: mostly('immediate', 'pending'),
})

const AT_MARKET = { orderType: 'market', limitPrice: null, stopPrice: null, extendedHours: false } as const
const BOUGHT = { ...AT_MARKET, symbol: 'AAPL', side: 'BUY', timeInForce: 'day' } as const
const APPROVAL = { by: 'ada', quantity: null, limitPrice: null, sendBefore: null }

describe('a dry run and the sending of the same', () => {
  let broker: Broker
  const api = useApi({ liveTrading: 'enabled', connectBroker: () => broker })
  const sessions = nyseSessions('2026-01-02', new Date().toISOString().slice(0, 10))

  async function rows(): Promise<unknown> {
    const tables = `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`
    const names = await api.database.em.execute<{ name: string }[]>(tables)
    const counts = names.map(({ name }) => `select '${name}' as name, count(*)::int from ${name}`)
    return api.database.em.execute(`${counts.join(' union all ')} order by 1`)
  }

  const denied = (code: string, words: string) => ({ outcome: 'denied', code, words })
  /** Orders tell the code as their error. */
  const refused = ({ code, error, message }: Answer['body']) =>
    code === undefined ? denied(error, message) : denied(code, error)
  const tried = ({ status, body }: Answer): object => {
    if (status !== 200) return refused(body)
    const { outcome, code, order, waitsFor } = body.dryRun
    if (outcome === 'ready' && waitsFor.length === 0) return { outcome, quantity: order.quantity }
    return outcome === 'denied' ? denied(code, body.message.split(' would not be sent: ')[1]) : { outcome }
  }

  const newest = async ({ userId }: TestUser): Promise<string | null> => {
    const list = 'select id from signals where user_id = ? order by sequence desc limit 1'
    const [row] = await api.database.em.execute<{ id: string }[]>(list, [userId])
    return row?.id ?? null
  }
  /** As the ledger has it when its entry has ended without a fill. */
  async function end(id: string): Promise<void> {
    const ended = `case when ask is null then 'executed' else 'cancelled' end`
    await api.database.em.execute(
      `update signals set status = ${ended}, workflow_started_at = now(), entry_ended_at = now() where id = ?`,
      [id],
    )
    await api.database.em.execute(
      `update orders set status = 'CANCELLED', end_acknowledged_at = now() where signal_id = ?`,
      [id],
    )
  }

  async function sent(user: TestUser, { body }: Answer, earlier: string | null): Promise<object> {
    const { em } = api.database
    const { userId } = user
    const id = await newest(user)
    if (id === null || id === earlier)
      return body.success && body.signal?.id === earlier ? { outcome: 'existing' } : refused(body)
    const now = new Date().toISOString()
    if (body.signal?.status === 'pending') await recordDue(em, id, now, APPROVAL)
    const terms = termsOf((await findSignal(em, userId, id))!)
    const access = { em, secretKeys, connectBroker: () => broker, requestTimeoutMs: 1_000, liveTrading: true }
    const { check, submission } = await createActivities({ ...access, closePatience: 0 }).attemptEntry(terms)
    if (!check.completed || submission?.completed === false) return { outcome: 'waits' }
    const prepared = check.result
    if (prepared.outcome === 'denied') return denied(prepared.code, prepared.detail)
    // A denied approval waits on.
    if (prepared.outcome === 'held')
      return prepared.refused ? denied(prepared.refused.code, prepared.detail) : { outcome: 'held' }
    assert.ok(prepared.outcome === 'ready' && submission)
    const { result } = submission
    if ('code' in result) return denied(result.code, result.detail)
    return { outcome: 'ready', quantity: Number(prepared.quantity) }
  }

  const compare = fc.asyncProperty(scenes, wishes, async (scene, wish) => {
    const { em } = api.database
    const user = await api.addUser({ tradingMode: scene.mode as 'PAPER' })
    const { userId, accountId } = user
    const last = sessions.findLast(({ closesAt }) => Date.parse(closesAt) < Date.now() - 60_000)!
    const venue = await StillVenue.start(Date.parse(last.opensAt) + 3_600_000)
    try {
      const { isByHand, side, action, quantityType, executeMode, limitPrice, ...all } = wish
      if (all.symbol.startsWith('NO')) await venue.pin(all.symbol, 100)
      broker = await venue.open(accountId, scene.cash, 'margin')
      await venue.pin('AAPL', 100)
      if (scene.held > 0)
        await fillAtVenue(broker, { ...BOUGHT, clientOrderId: randomUUID(), quantity: `${scene.held}` })
      venue.at = Date.now()
      await em.execute('update accounts set is_active = ? where id = ?', [scene.isActive, accountId])
      await saveRiskSettings(em, userId, accountId, scene.limits)
      const halt = scene.halt && ({ level: scene.halt, reason: 'test', by: 'test' } as const)
      if (halt) await setHalt(em, { scope: 'account', userId, accountId }, halt)
      const order = { ...all, orderType: limitPrice === undefined ? 'market' : 'limit', limitPrice }
      const [path, body] = isByHand
        ? ['/api/v1/orders', { ...order, accountId, side }]
        : [
            '/api/v1/signals',
            signalBody(accountId, {
              ...order,
              ...(scene.earlier === 'named' && { sourceId: 'alert' }),
              action,
              quantityType,
              executeMode,
            }),
          ]
      const call = (more: object) => api.call('POST', path, { token: user.token, body: { ...body, ...more } })
      if (scene.earlier !== null) await call({})
      const earlier = await newest(user)
      if (earlier !== null) await end(earlier)
      await call({ dryRun: true })
      const before = await rows()
      const found = tried(await call({ dryRun: true }))
      assert.deepEqual(await rows(), before)
      assert.deepEqual(found, await sent(user, await call({}), earlier))
    } finally {
      await venue.close()
    }
  })

  it(`agree in outcome, code, words and size, and the dry run leaves no row, in ${CASES} cases`, async function () {
    this.timeout(1_200_000)
    await fc.assert(compare, { numRuns: CASES })
  })
})
