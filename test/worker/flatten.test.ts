import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createFlattenActivities } from '#activities/flatten/index.ts'
import type { FlattenActivities } from '#activities/contract.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { insertFlattening } from '#db/flatten/flattenings.ts'
import { flattenWorkflowIdFor } from '#domain/position/flatten.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { BareTemporal } from '#test/support/bare-temporal.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount } from '#test/support/factories.ts'
import { newFlattening } from '#test/support/new-flattening.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import type { FlatByCloseOutcome } from '#workflows/flatten/contract.ts'
import { FLAT_BY_CLOSE_WORKFLOW, FLATTEN_WORKFLOW } from '#workflows/names.ts'

describe('closing everything, by workflow', function () {
  this.timeout(60_000)
  let em: EntityManager
  let temporal: BareTemporal
  let broker: ScriptedBroker
  let account: Account
  /** Orders as they were placed, and when. */
  let placed: { terms: SignalTerms; at: number }[] = []
  /** The next orders that are refused; those after them fill. */
  let refusals = 0
  /** The next rounds whose answer is lost after they were done. */
  let lost = 0

  useDatabase((database) => {
    em = database.em.fork()
  })
  before(async () => {
    const real = activities()
    temporal = new BareTemporal(({ name, input }) => real[name as keyof FlattenActivities](input as never))
    await temporal.load()
  })
  beforeEach(async () => {
    broker = new ScriptedBroker()
    placed = []
    refusals = 0
    lost = 0
    await em.execute('delete from users')
    account = await createAccount(em)
    temporal.begin(Date.now())
  })
  after(() => temporal.end())

  /** Orders meet their fate at once, in the place of their workflows. */
  function activities(): FlattenActivities {
    const real = createFlattenActivities({
      em,
      secretKeys,
      connectBroker: () => broker,
      requestTimeoutMs: 1_000,
      stopper: { stop: async () => {} },
      now: () => Date.now(),
    })
    return {
      ...real,
      async flattenRound(input) {
        const round = await real.flattenRound(input)
        for (const terms of round.orders) await meet(terms)
        if ((lost -= 1) >= 0) throw new Error('the worker has died')
        return { ...round, orders: [] }
      },
    }
  }
  async function meet(terms: SignalTerms): Promise<void> {
    placed.push({ terms, at: Date.now() })
    const isRefused = (refusals -= 1) >= 0
    await em.execute(`update orders set status = ?, ended_at = now() where signal_id = ?`, [
      isRefused ? 'REJECTED' : 'FILLED',
      terms.signalId,
    ])
    if (!isRefused) broker.positions = broker.positions.filter(({ symbol }) => symbol !== terms.symbol)
  }
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const begunIds = async () =>
    (await em.execute<{ id: string }[]>('select id from flattenings order by created_at')).map(({ id }) => id)
  /** One look of the schedule: how many flattenings it has begun. */
  const look = async (): Promise<number> => {
    const handle = temporal.start(FLAT_BY_CLOSE_WORKFLOW, { workflowId: `flat-by-close-${randomUUID()}` })
    const { begun } = (await handle.result()) as FlatByCloseOutcome
    await temporal.settle()
    return begun
  }

  it('goes on in rounds until nothing is held: a round that is lost is done over, and what is refused is tried again', async () => {
    broker.positions = [held('10', 'LONG')]
    refusals = 1
    lost = 1
    const asked = newFlattening(account, inMinutes(1))
    const { id } = asked
    await insertFlattening(em, asked, null)
    const handle = temporal.start(FLATTEN_WORKFLOW, {
      workflowId: flattenWorkflowIdFor(id),
      args: [{ flattenId: id }],
    })
    const { standing } = (await handle.result()) as { standing: string }
    assert.deepEqual([standing, placed.length], ['Nothing is held', 2])
    assert.ok(placed[1]!.at - placed[0]!.at >= 2_000, 'after its pause')
    const [row] = await em.execute<{ status: string }[]>('select status from flattenings where id = ?', [id])
    assert.equal(row!.status, 'done')
  })

  it('closing everything is done before the close of a short day, once, however many looks there are', async () => {
    const closesAt = inMinutes(15 + 3 / 60)
    broker.sessions = [0, 1_440].map((later) => ({
      date: inMinutes(later).slice(0, 10),
      opensAt: inMinutes(later - 195),
      closesAt: later === 0 ? closesAt : inMinutes(later + 15),
    }))
    await em.execute('update accounts set flat_by_close = ?::jsonb where id = ?', [
      JSON.stringify({ minutes: 15, includeManual: true }),
      account.id,
    ])
    broker.positions = [held('10', 'LONG')]
    const begun = await Promise.all([look(), look()])
    const reach = 'due within the reach of both'
    assert.deepEqual(
      begun.toSorted((a, b) => a - b),
      [0, 1],
      reach,
    )
    assert.equal(placed.length, 1)
    assert.equal((await begunIds()).length, 1)
    const minutesBefore = (Date.parse(closesAt) - placed.at(0)!.at) / 60_000
    assert.ok(minutesBefore <= 15 && minutesBefore > 14.5, `${minutesBefore} min before the close`)
  })
})
