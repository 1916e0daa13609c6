import assert from 'node:assert/strict'
import type { Signal } from '#db/entities/index.ts'
import { mergeOrderReport } from '#db/order/reports.ts'
import { recordAccepted, recordExitScheduled } from '#db/signal/ledger.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import type { OrderRole } from '#domain/order/order.ts'
import { rowsOf } from '#test/support/pluck.ts'
import { createAccount, createSignal, orderReport, withFill } from '../../support/factories.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

/** Mondays at 11:00 in New York; the second one is after midnight by UTC, and still of its day. */
const at = (seconds: number, day = '2026-03-02T16:00:00.000Z') =>
  new Date(Date.parse(day) + seconds * 1_000).toISOString()

interface Phase {
  phase: string
  at: string | null
  tookMs: number | null
}

describe('how fast signals were', () => {
  const api = useApi()
  let user: TestUser
  before(async () => {
    user = await api.addUser()
  })

  const ask = async (path: string, token = user.token) => api.call('GET', `/api/v1${path}`, { token })
  const fresh = () => api.database.em.fork()
  const set = (
    table: 'signals' | 'orders',
    id: string,
    columns: Record<string, string>,
    role?: OrderRole,
  ) => {
    const values = Object.keys(columns).map((name) => `${name} = ?`)
    const where = table === 'signals' ? 'id = ?' : `signal_id = ? and role = '${role}'`
    const sql = `update ${table} set ${values.join(', ')} where ${where}`
    return api.database.em.execute(sql, [...Object.values(columns), id], 'run')
  }

  /** A signal with an entry that was checked after 50 ms, sent after 60 and accepted after so many milliseconds. */
  async function sent(accepted: number, fields: Partial<Signal> = {}, day?: string): Promise<Signal> {
    const signal = await createSignal(api.database.em, {
      accountId: user.accountId,
      acceptedAt: new Date(at(0, day)),
      ...fields,
    })
    const begin = fields.decidedAt ?? fields.scheduledAt ?? signal.acceptedAt
    const after = (ms: number) => new Date(begin.getTime() + ms).toISOString()
    await set('signals', signal.id, { checked_at: after(50) })
    await recordAccepted(fresh(), orderReport(signal))
    await set('orders', signal.id, { sent_at: after(60), acknowledged_at: after(accepted) }, 'entry')
    return signal
  }

  it('names each phase of a signal with its instant and the milliseconds that it took', async () => {
    const signal = await sent(100)
    const entry = withFill(orderReport(signal), '10')
    await mergeOrderReport(fresh(), signal.accountId, { ...entry, filledAt: at(2.1) })
    const plan = { submitAt: at(3600), reason: null }
    await recordExitScheduled(fresh(), signal.id, at(3), { entry, plan, progress: exitBegins(1) })
    await recordAccepted(fresh(), orderReport(signal, { role: 'exit' }))
    await set('orders', signal.id, { sent_at: at(3600.02), filled_at: at(3601) }, 'exit')
    // A plan of a later order does not change when the first one was due.
    await recordExitScheduled(fresh(), signal.id, at(3602), {
      entry,
      plan: { submitAt: at(7200), reason: null },
      progress: exitBegins(2),
    })
    const { body } = await ask(`/signals/${signal.id}/timing`)
    const { phases, ...rest } = body.data as { phases: Phase[] }
    assert.deepEqual(rest, { signalId: signal.id, executeMode: 'immediate', startedAt: at(0), totalMs: 100 })
    assert.deepEqual(
      phases.map(({ phase, at: when, tookMs }) => [phase, when, tookMs]),
      [
        ['received', at(0), null],
        ['checked', at(0.05), 50],
        ['sent', at(0.06), 10],
        ['acknowledged', at(0.1), 40],
        ['filled', at(2.1), 2_000],
        ['exit_due', at(3_600), null],
        ['exit_sent', at(3_600.02), 20],
        ['closed', at(3_601), 980],
      ],
    )
  })

  it('counts from the approval of a pending signal, and from the time of a scheduled one', async () => {
    const pending = await sent(70, { executeMode: 'pending', decidedAt: new Date(at(600)) })
    const scheduled = await sent(80, { executeMode: 'scheduled', scheduledAt: new Date(at(900)) })
    const of = async ({ id }: Signal) => (await ask(`/signals/${id}/timing`)).body.data
    assert.deepEqual([(await of(pending)).startedAt, (await of(pending)).totalMs], [at(600), 70])
    assert.deepEqual([(await of(scheduled)).startedAt, (await of(scheduled)).totalMs], [at(900), 80])
  })

  it('the durations of signals are summed up by day of the exchange, in percentiles that interpolate between signals', async () => {
    const owner = await api.addUser()
    const mine = { accountId: owner.accountId }
    for (const ms of [100, 200, 300, 400, 500]) await sent(ms, mine)
    // Midnight of the exchange is at 05:00 UTC in winter.
    await sent(150, mine, '2026-03-04T04:59:59.000Z')
    await sent(170, mine, '2026-03-04T05:00:00.000Z')
    await sent(900, mine, '2026-03-05T05:00:00.000Z')
    const { body } = await ask('/signals/timing?from=2026-03-01&to=2026-03-04', owner.token)
    const { days, ...rest } = body.data as { days: { date: string; phases: Record<string, unknown>[] }[] }
    assert.deepEqual(rest, { from: '2026-03-01', to: '2026-03-04', accountId: null })
    assert.deepEqual(
      days.map(({ date, phases }) => [date, phases.at(-1)]),
      [
        ['2026-03-02', { phase: 'total', count: 5, p50Ms: 300, p95Ms: 480, p99Ms: 496 }],
        ['2026-03-03', { phase: 'total', count: 1, p50Ms: 150, p95Ms: 150, p99Ms: 150 }],
        ['2026-03-04', { phase: 'total', count: 1, p50Ms: 170, p95Ms: 170, p99Ms: 170 }],
      ],
    )
    assert.deepEqual(days[0]!.phases.slice(0, 3), [
      { phase: 'checked', count: 5, p50Ms: 50, p95Ms: 50, p99Ms: 50 },
      { phase: 'sent', count: 5, p50Ms: 10, p95Ms: 10, p99Ms: 10 },
      { phase: 'acknowledged', count: 5, p50Ms: 240, p95Ms: 420, p99Ms: 436 },
    ])
  })

  it('the durations of signals are summed up of one account alone when that is asked for', async () => {
    const owner = await api.addUser()
    const second = await createAccount(api.database.em, { userId: owner.userId })
    await sent(100, { accountId: owner.accountId })
    await sent(300, { accountId: second.id })
    const total = async (query: string, token: string) => {
      const { days } = (await ask(`/signals/timing?from=2026-03-02&to=2026-03-02${query}`, token)).body.data
      return days.flatMap(({ phases }: { phases: object[] }) => rowsOf(phases.slice(-1), 'count', 'p50Ms'))
    }
    assert.deepEqual(await total('', owner.token), [[2, 200]])
    assert.deepEqual(await total(`&accountId=${second.id}`, owner.token), [[1, 300]])
  })

  it('the durations of signals are asked for a week until today, or up to 92 days', async () => {
    const { from, to } = (await ask('/signals/timing')).body.data
    assert.equal(Date.parse(to) - Date.parse(from), 6 * 86_400_000)
    assert.equal((await ask('/signals/timing?from=2026-01-01&to=2026-04-02')).status, 200)
    for (const query of ['from=2026-01-01&to=2026-04-03', 'from=2026-03-02&to=2026-03-01', 'from=today'])
      assert.equal((await ask(`/signals/timing?${query}`)).body.code, 'VALIDATION_ERROR', query)
  })
})
