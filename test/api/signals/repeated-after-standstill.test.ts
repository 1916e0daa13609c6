import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLimits } from '#api/access/limits.ts'
import { createWorkBounds, entryBound, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { backendsOf, standStill } from '#test/support/standstill.ts'
import pg from 'pg'
import { signalBody, startApi, type ApiServer } from '../support/api-server.ts'

/** As TradingView: what was answered 5xx is sent again, three times at most, and nothing else is. */
const REPETITIONS = 3
const BETWEEN_MS = 2_000
/** Milliseconds for which PostgreSQL stands still at least, longer than any answer is waited for. */
const STANDSTILL_MS = 2_500
/** It begins to after so many answers. */
const ANSWERS = 20

describe('alerts of one token at a bar’s close, while PostgreSQL stands still', function () {
  this.timeout(90_000)
  let api: ApiServer
  let counts: CountStore
  let watcher: pg.Client
  let database: string
  beforeEach(async () => {
    let url = ''
    api = await startApi({
      limits: (of) => createLimits((counts = openCountStore((url = of)))),
      work: createWorkBounds({ ...WORK_BOUNDS, entries: entryBound(16) }),
      begunLater: 200,
    })
    database = new URL(url).pathname.slice(1)
    watcher = new pg.Client({ connectionString: url })
    await watcher.connect()
  })
  afterEach(async () => {
    await watcher.end()
    await api.stop()
    await counts.end()
  })

  it('alerts of one token at a bar’s close, while PostgreSQL stands still are all accepted, 199 of them, by a sender that repeats 5xx alone', async () => {
    const alerts = 199

    const { token, accountId } = await api.addUser()
    const answered: number[] = []
    let stopped: Promise<void> | undefined
    /** New connections are stopped, too, until a sender has been refused for it. */
    const standStillFor503 = async (): Promise<void> => {
      const goOn: (() => void)[] = []
      try {
        const since = performance.now()
        while (performance.now() - since < STANDSTILL_MS || !answered.includes(503)) {
          goOn.push(standStill(await backendsOf(database)))
          await sleep(50)
        }
      } finally {
        for (const wake of goOn) wake()
      }
    }
    const send = async (n: number): Promise<{ status: number; code: string | undefined }> => {
      for (let repetition = 0; ; repetition++) {
        const { status, body } = await api.call('POST', '/api/v1/signals', {
          token,
          body: signalBody(accountId, { sourceId: `alert ${n}` }),
        })
        answered.push(status)
        if (answered.length === ANSWERS) stopped = standStillFor503()
        if (status < 500 || repetition === REPETITIONS) return { status, code: body.code }
        await sleep(BETWEEN_MS)
      }
    }
    const outcomes = await Promise.all(Array.from({ length: alerts }, (_, n) => send(n)))
    await stopped
    const refused = outcomes.filter(({ status }) => status >= 300)
    const { rows: counted } = await watcher.query<{ points: number }>('select points from request_counts')
    const told = JSON.stringify({ refused: refused.length, of: refused[0], counted })
    assert.ok(answered.includes(503), 'nobody was refused for the standstill')
    assert.equal(refused.length, 0, told)
    const { rows: stored } = await watcher.query('select from signals')
    assert.equal(stored.length, alerts)
  })
})
