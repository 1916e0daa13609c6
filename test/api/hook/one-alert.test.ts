import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createTestDatabase } from '#test/support/servers.ts'
import { eventually } from '#test/support/eventually.ts'
import { IS_LONG } from '#test/support/generators.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { addPerson, type Person } from '../support/person.ts'
import { addHook, type TestHook } from './support/hook.ts'

/** A place at which a process dies, and the process. */
interface Death {
  at: string
  process: number
}

/** A message is delivered to a process, which may die over it; or some process sweeps. */
type Step = { deliver: number; process: number; dies: string | null } | { sweep: number }

const PLACES = ['before_hook_stored', 'after_hook_stored', 'before_commit', 'after_commit', 'after_start']

/** Alerts that are told apart in each of the ways there are: by a name, by their own instant, by the bar, and by their bytes alone. */
const BAR = '2026-03-02T15:00:00Z'
const AAPL = { ticker: 'AAPL', action: 'buy', contracts: '1', time: BAR }
const MSFT = { ticker: 'MSFT', action: 'sell', contracts: '2', time: BAR }
const NVDA = { ticker: 'NVDA', action: 'buy' }
const ALERTS = [
  { ...AAPL, timenow: '2026-03-02T15:00:01Z' },
  { ...AAPL, timenow: '2026-03-02T15:00:02Z' },
  { ...MSFT, order_id: 'a' },
  { ...MSFT, order_id: 'b' },
  { ...NVDA, contracts: '3' },
  { ...NVDA, contracts: '4' },
]
const PROCESSES = 3

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      deliver: fc.nat(ALERTS.length - 1),
      process: fc.nat(PROCESSES - 1),
      dies: fc.option(fc.constantFrom(...PLACES), { freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ sweep: fc.nat(PROCESSES - 1) }) },
)

describe('an alert that a hook gets', function () {
  this.timeout(600_000)
  let apis: ApiServer[]
  let owner: Person
  let drop: () => Promise<void>
  let death: Death | null = null
  before(async () => {
    const database = await createTestDatabase()
    drop = database.drop
    apis = await Promise.all(
      Array.from({ length: PROCESSES }, (_, process) =>
        startApi({
          databaseUrl: database.url,
          failpoint: (at) => {
            if (death?.process !== process || death.at !== at) return
            death = null
            throw new Error(`dies at ${at}`)
          },
        }),
      ),
    )
    owner = await addPerson(apis[0]!, { plan: 'PRO' })
  })
  after(async () => {
    await Promise.all(apis.map((api) => api.stop()))
    await drop()
  })

  const deliver = async (
    hook: TestHook,
    { deliver: alert, process, dies }: Extract<Step, { deliver: number }>,
  ) => {
    if (dies !== null) death = { at: `api.${dies}`, process }
    const response = await fetch(apis[process]!.address + hook.path, {
      method: 'POST',
      body: JSON.stringify(ALERTS[alert]),
    })
    await response.text()
  }

  it('an alert that a hook gets makes one signal for each account, in any order of repetition, to any process, with deaths between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        async (bursts) => {
          const hook = await addHook(apis[0]!, { whenSame: 'add' }, { owner, accounts: 2 })
          try {
            for (const burst of bursts) {
              death = null
              await Promise.all(
                burst.map(async (one) => {
                  if ('deliver' in one) return deliver(hook, one)
                  return apis[one.sweep]!.hookSweep.sweep()
                }),
              )
            }
            death = null
            const em = apis[0]!.database.em
            // Long enough for what no process has brought to its end to be swept.
            await em
              .fork()
              .execute(
                `update hook_requests set received_at = received_at - interval '6 seconds' where outcome is null`,
              )
            await eventually(async () => {
              await apis[0]!.hookSweep.sweep()
              const left = await em
                .fork()
                .execute('select from hook_requests where outcome is null and hook_id = ?', [hook.id])
              assert.equal(left.length, 0)
            })
            const groups: { alert: string; accounts: string[]; signals: number }[] = await em.fork().execute(
              `select r.body as alert, count(s.id)::int as signals, array_agg(s.account_id) as accounts
             from signal_groups g join hook_requests r on r.id = g.id join signals s on s.group_id = g.id
             where g.token_id = ? group by g.id, r.body`,
              [hook.id],
            )
            const sent = new Set(
              bursts.flat().flatMap((one) => ('deliver' in one ? [JSON.stringify(ALERTS[one.deliver])] : [])),
            )
            for (const { alert, accounts, signals } of groups) {
              assert.equal(groups.filter((one) => one.alert === alert).length, 1, `twice: ${alert}`)
              assert.deepEqual([signals, new Set(accounts).size], [2, 2], alert)
              assert.ok(sent.has(alert))
            }
            // What died before it was stored is answered with an error, and its sender repeats it.
            const kept: { body: string }[] = await em
              .fork()
              .execute("select distinct body from hook_requests where hook_id = ? and outcome <> 'late'", [
                hook.id,
              ])
            assert.equal(groups.length, kept.length)
          } finally {
            await owner.call('DELETE', `/hooks/${hook.id}`)
          }
        },
      ),
      { numRuns: IS_LONG ? 100 : 8 },
    )
  })
})
