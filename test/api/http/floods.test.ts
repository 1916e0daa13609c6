import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { TIERS } from '#api/access/policy.ts'
import { createWorkBounds, entryBound, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import { ROUTES } from '#api/routes.ts'
import { COUNT_TABLES } from '#db/engine/count-store.ts'
import { addHook, type TestHook } from '../hook/support/hook.ts'
import { IS_LONG } from '#test/support/generators.ts'
import { addAdministrator } from '../support/administrator.ts'
import type { FloodAnswers, FloodRequest } from '../support/flood-thread.ts'
import { addPerson, renewProof, type Person } from '../support/person.ts'
import { useApi, useCounts } from '../support/use-api.ts'

/** A halt behind a flood takes the API no more processor time than so many halts that nobody disturbs. */
const MOST_HALTS = 100
/** Halts of which the floor is made. */
const FLOOR_OF = 20
const SIGNAL_CONCURRENCY = 16
const HALT = { level: 'pauseEntries' }

const manyFields = (fields: number, before = ''): string =>
  `{${before}${Array.from({ length: fields }, (_, n) => `"k${n}":1`).join()}}`
const BUY = '"ticker":"AAPL","action":"buy","quantity":"1",'
const many = (count: number, one: FloodRequest): FloodRequest[] => Array.from({ length: count }, () => one)
const fill = (length: number): string => 'x'.repeat(length)

describe('a flood within the rate of its sender', function () {
  this.timeout(600_000)
  const { limits } = useCounts()
  let flooder: Person
  let neighbour: Person
  /** Milliseconds of the API's processor time that a halt alone takes at this moment, on this machine. */
  let floor: number
  const api = useApi({
    limits,
    work: createWorkBounds({ ...WORK_BOUNDS, entries: entryBound(SIGNAL_CONCURRENCY) }),
  })
  before(async () => {
    flooder = await addAdministrator(api)
    neighbour = await addPerson(api, { plan: 'PRO' })
    for (let n = 0; n < 20; n++) await neighbour.call('PUT', '/settings/halt', HALT)
  })
  beforeEach(async () => {
    for (const table of Object.values(COUNT_TABLES)) await api.database.em.execute(`delete from ${table}`)
    await renewProof(api, flooder)
    await renewProof(api, neighbour)
    const alone: number[] = []
    while (alone.length < FLOOR_OF) alone.push((await haltBehind([])).cpu)
    floor = alone.toSorted((one, other) => one - other)[FLOOR_OF / 2]!
  })

  const haltOfNeighbour = (): FloodRequest => ({
    method: 'PUT',
    path: '/api/v1/settings/halt',
    headers: { Authorization: `Bearer ${neighbour.jwt}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(HALT),
  })

  /** Sends everything at once, and behind it a halt of somebody else. */
  async function haltBehind(requests: FloodRequest[], hangsUp = false) {
    const thread = new Worker(new URL('../support/flood-thread.ts', import.meta.url), {
      workerData: { origin: api.address, requests, behind: haltOfNeighbour(), hangsUp },
    })
    const answered = Promise.withResolvers<FloodAnswers>()
    thread.once('message', answered.resolve)
    thread.once('error', answered.reject)
    const answers = await answered.promise
    await thread.terminate()
    await api.whenIdle()
    return { ...answers.behind, answers }
  }

  function assertServed(
    what: string,
    { status, cpu, answers }: Awaited<ReturnType<typeof haltBehind>>,
  ): void {
    const told = `${what}: ${status} after ${cpu.toFixed(0)} ms of the processor, beside ${JSON.stringify(answers.statuses)}`
    assert.equal(status, 200, told)
    assert.ok(cpu <= MOST_HALTS * floor, `${told}, where a halt alone takes ${floor.toFixed(1)} ms`)
  }

  describe('to a hook', () => {
    const MESSAGES: Record<string, string> = {
      'thousands of fields': manyFields(5_600, BUY),
      'thousands of fields that say nothing of a trade': manyFields(5_600),
      'the most fields': manyFields(190, `${BUY}"note":"${fill(13_000)}",`),
      'short valid trades': `{${BUY}"note":""}`,
      'the most values': `{${BUY}"values":[${'1,'.repeat(1_900)}1],"note":"${fill(11_000)}"}`,
    }
    for (const [what, text] of Object.entries(MESSAGES))
      for (const [rate, hooks] of [
        [60, 1],
        [200, 1],
        [34, 18],
      ] as const) {
        if (!IS_LONG && (hooks === 1 ? rate === 60 : what !== 'thousands of fields')) continue
        it(`keeps no person from stopping: ${rate} messages of ${what} to ${hooks === 1 ? 'one hook' : `${hooks} hooks`}`, async () => {
          const owner = await addPerson(api, { plan: 'PRO' })
          const made: TestHook[] = []
          for (let n = 0; n < hooks; n++)
            made.push(await addHook(api, { requestsPerMinute: rate }, { owner }))
          const requests = made.flatMap(({ path }) =>
            Array.from({ length: rate }, (_, n) => ({
              method: 'POST',
              path,
              headers: {},
              body: text.replace('{', `{"timenow":"2026-03-02T15:00:00.${String(n).padStart(3, '0')}Z",`),
            })),
          )
          const done = await haltBehind(requests)
          assertServed(`${rate} × ${hooks} ${what}`, done)
          if (what.startsWith('thousands')) assert.equal(done.answers.statuses['200'], undefined)
        })
      }
  })

  it('keeps no person from stopping where its senders hang up, and the waiting requests are worked off for none', async () => {
    const hook = await addHook(api, { requestsPerMinute: 200 })
    const body = manyFields(150, `${BUY}"note":"${fill(10_000)}",`)
    const one = { method: 'POST', path: hook.path, headers: {}, body }
    assertServed('200 senders who hang up', await haltBehind(many(200, one), true))
    const stored = await api.database.em.execute('select from hook_requests where hook_id = ?', [hook.id])
    assert.ok(stored.length < 100, `${stored.length} were stored`)
    const [left] = await api.database.em.execute<{ left: number }[]>(
      'select count(*)::int as "left" from hook_requests where hook_id = ? and outcome is null',
      [hook.id],
    )
    assert.equal(left!.left, 0, 'what was stored is carried out')
  })

  // All routes read a body by the same code; what they look for in it is their own.
  for (const route of ROUTES.filter(
    ({ name, body }, place) =>
      body && (IS_LONG || place % 10 === 0 || /^POST \S+(signals|orders)$/.test(name)),
  ))
    it(`keeps no person from stopping: ${route.name}`, async () => {
      const { tier } = route.access
      const { limit } = TIERS[tier ?? 'default']
      const path = route.address.replaceAll(/:\w+/g, randomUUID())
      for (const body of [manyFields(5_600), manyFields(190, `"note":"${fill(62_000)}",`)]) {
        const one = {
          method: route.method,
          path,
          headers: { Authorization: `Bearer ${flooder.jwt}`, 'Content-Type': 'application/json' },
          body,
        }
        await api.database.em.execute('delete from request_counts')
        assertServed(`${route.name} ${body.slice(0, 10)}`, await haltBehind(many(limit, one)))
      }
    })
})
