import assert from 'node:assert/strict'
import { unstartedWork } from '#db/watch/open-work.ts'
import { createWorkBounds, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import { signalBody, type Answer, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck } from '#test/support/pluck.ts'

/** Signals of one user that are stored and not begun. */
const MOST_UNSTARTED = 3

describe('signals that are stored and sent at once', function () {
  this.timeout(30_000)
  const api = useApi({
    work: createWorkBounds({ ...WORK_BOUNDS, entries: { atOnce: 1, waiting: 0, inAll: 2 } }),
    answerDeadline: 20_000,
    begunLater: MOST_UNSTARTED,
  })
  let user: TestUser
  /** Lets the broker answer, for which every signal waits until then. */
  let answer: () => void
  beforeEach(async () => {
    user = await api.addUser()
    api.gateway.awaited.length = 0
    const answered = Promise.withResolvers<void>()
    answer = answered.resolve
    api.gateway.answer = async () => {
      await answered.promise
      return { status: 'executed', orderId: null, reason: null, detail: null }
    }
  })
  afterEach(async () => {
    answer()
    await api.whenIdle()
  })

  const post = (token: string, changes: Record<string, unknown> = {}): Promise<Answer> =>
    api.call('POST', '/api/v1/signals', { token, body: signalBody(user.accountId, changes) })
  const storedSources = async (): Promise<string[]> => {
    const sql = 'select source_id from signals where user_id = ? order by accepted_at'
    return pluck(await api.database.em.fork().execute(sql, [user.userId]), 'source_id')
  }

  /** Sends a signal that waits for its broker, and resolves when it does. */
  async function underWay(token: string, sourceId: string): Promise<{ answer: Promise<Answer> }> {
    const before = api.gateway.awaited.length
    const going = post(token, { sourceId })
    while (api.gateway.awaited.length === before) await new Promise((resolve) => setTimeout(resolve, 5))
    return { answer: going }
  }

  /** As many as may be stored and not begun; what waits for its broker is not known to be begun either. */
  async function fillTheLine(): Promise<void> {
    for (let place = api.gateway.awaited.length; place < MOST_UNSTARTED; place += 1) {
      const sourceId = `later ${place}`
      const { status, body } = await post(user.token, { sourceId })
      assert.deepEqual([status, body.signal?.status], [202, 'queued'], JSON.stringify(body))
    }
  }

  it('signals that are stored and sent at once and get no turn are stored and left to the supervisor: none of a burst is lost', async () => {
    await underWay(user.token, 'first')
    await fillTheLine()
    assert.deepEqual(await storedSources(), ['first', 'later 1', 'later 2'])
    assert.equal(api.gateway.awaited.length, 1)
    const em = api.database.em.fork()
    await em.execute(
      `update signals set accepted_at = accepted_at - interval '2 seconds' where user_id = ?`,
      [user.userId],
    )
    assert.equal((await unstartedWork(em, [], 10)).length, 3)
  })

  it('signals that are stored and sent at once of one sender are bounded: one too many is asked to wait, and nothing of it is stored', async () => {
    const first = await underWay(user.token, 'first')
    await fillTheLine()
    const { status, headers, body } = await post(user.token, { sourceId: 'second' })
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'TOO_MANY_AT_ONCE', '1'])
    assert.match(body.error, /nothing was done.*send it again/)
    assert.deepEqual(await storedSources(), ['first', 'later 1', 'later 2'])
    answer()
    assert.equal((await first.answer).status, 201)
    assert.equal((await post(user.token, { sourceId: 'second' })).status, 201)
  })

  it('signals that are stored and sent at once of all senders are bounded, and a place is left for another token of the same user', async () => {
    const [second, third] = [await user.mint(), await user.mint()]
    const going = [await underWay(user.token, 'first'), await underWay(second, 'second')]
    await fillTheLine()
    const { status, headers, body } = await post(third, { sourceId: 'third' })
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'TOO_BUSY', '1'])
    assert.equal((await storedSources()).length, MOST_UNSTARTED)
    answer()
    for (const { answer: done } of going) assert.equal((await done).status, 201)
  })

  it('signals that are stored and sent at once do not keep who repeats an accepted signal from its answer', async () => {
    const first = await underWay(user.token, 'first')
    const { status, body } = await post(user.token, { sourceId: 'first' })
    assert.equal(status, 200, JSON.stringify(body))
    await fillTheLine()
    const replacing = await post(user.token, { sourceId: 'first', replaceExisting: true })
    assert.equal(replacing.status, 503, 'a replacement is something new')
    answer()
    assert.equal((await first.answer).body.signal.id, body.signal.id)
  })
})
