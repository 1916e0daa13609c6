import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLimits } from '#api/access/limits.ts'
import { createWorkBounds, entryBound, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { standStill } from '#test/support/standstill.ts'
import pg from 'pg'
import { signalBody, startApi, type ApiServer } from '../support/api-server.ts'

/** As TradingView: what was answered 5xx is sent again, three times at most, and nothing else is. */
const REPETITIONS = 3
const BETWEEN_MS = 5_000
/** Milliseconds for which PostgreSQL stands still, and after which it begins to. */
const STANDSTILL_MS = 2_500
const AFTER_MS = 150

describe('alerts of one token at a bar’s close, while PostgreSQL stands still', function () {
  this.timeout(90_000)
  let api: ApiServer
  let counts: CountStore
  let watcher: pg.Client
  beforeEach(async () => {
    let url = ''
    api = await startApi({
      limits: (of) => createLimits((counts = openCountStore((url = of)))),
      work: createWorkBounds({ ...WORK_BOUNDS, entries: entryBound(16) }),
      begunLater: 200,
    })
    watcher = new pg.Client({ connectionString: url })
    await watcher.connect()
  })
  afterEach(async () => {
    await watcher.end()
    await api.stop()
    await counts.end()
  })

  for (const alerts of [150, 199])
    it(`are all accepted, ${alerts} of them, by a sender that repeats 5xx alone`, async () => {
      const { token, accountId } = await api.addUser()
      const first: number[] = []
      const send = async (n: number): Promise<{ status: number; code: string | undefined }> => {
        for (let repetition = 0; ; repetition++) {
          const { status, body } = await api.call('POST', '/api/v1/signals', {
            token,
            body: signalBody(accountId, { sourceId: `alert ${n}` }),
          })
          if (repetition === 0) first.push(status)
          if (status < 500 || repetition === REPETITIONS) return { status, code: body.code }
          await sleep(BETWEEN_MS)
        }
      }
      const sending = Promise.all(Array.from({ length: alerts }, (_, n) => send(n)))
      await sleep(AFTER_MS)
      const { rows } = await watcher.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      const goOn = standStill(rows.map(({ pid }) => pid))
      await sleep(STANDSTILL_MS)
      goOn()
      const refused = (await sending).filter(({ status }) => status >= 300)
      const { rows: counted } = await watcher.query<{ points: number }>('select points from request_counts')
      const told = JSON.stringify({
        refused: refused.length,
        of: refused[0],
        felt: first.filter((one) => one === 503).length,
        counted,
      })
      assert.equal(refused.length, 0, told)
      const { rows: stored } = await watcher.query('select from signals')
      assert.equal(stored.length, alerts)
    })
})
