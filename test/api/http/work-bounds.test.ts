import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { ACCESS_POLICY } from '#test/api/support/access-policy.ts'
import { ApiError } from '#contract/errors.ts'
import { createWorkBounds, TURN_PATIENCE_MS, type WorkBound, type WorkKind } from '#api/http/work-bounds.ts'
import { startApi } from '../support/api-server.ts'
import { addPerson } from '../support/person.ts'

/** Work that goes on until the test ends it. */
function heldWork() {
  const end = Promise.withResolvers<void>()
  let begun = 0
  const work = async () => {
    begun += 1
    await end.promise
    return 'done'
  }
  return { work, end: () => end.resolve(), begun: () => begun }
}
const refusedWith = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code && error.headers['Retry-After'] === '1'
const sameForAll = (bound: WorkBound): Record<WorkKind, WorkBound> => ({
  trading: bound,
  stopping: bound,
  signals: bound,
  entries: bound,
  ordinary: bound,
  broker: bound,
  exports: bound,
  reading: bound,
})
const boundsOfAll = sameForAll({ atOnce: 2, waiting: 1, inAll: 3 })

describe('the bounds of work', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  /** Lets time pass once what was asked for waits. */
  async function pass(milliseconds: number): Promise<void> {
    await new Promise(setImmediate)
    mock.timers.tick(milliseconds)
  }

  it('let so much of a caller go on at once, so much wait, and refuse the rest at once', async () => {
    const { run } = createWorkBounds(boundsOfAll)
    const held = heldWork()
    const taken = [1, 2, 3].map(() => run('broker', 'ann', held.work))
    await assert.rejects(run('broker', 'ann', held.work), refusedWith('TOO_MANY_AT_ONCE'))
    assert.equal(held.begun(), 2)
    held.end()
    assert.deepEqual(await Promise.all(taken), ['done', 'done', 'done'])
    assert.equal(await run('broker', 'ann', () => Promise.resolve('again')), 'again')
  })

  it('keep one caller’s work out of another’s bound, and one kind out of another', async () => {
    const { run } = createWorkBounds(boundsOfAll)
    const held = heldWork()
    const taken = [1, 2, 3].map(() => run('broker', 'ann', held.work))
    assert.equal(await run('broker', 'ben', () => Promise.resolve('ben’s')), 'ben’s')
    assert.equal(await run('trading', 'ann', () => Promise.resolve('traded')), 'traded')
    held.end()
    await Promise.all(taken)
  })

  it('refuse with TOO_MANY_AT_ONCE who waits too long for their own work', async () => {
    const { run } = createWorkBounds(boundsOfAll)
    const held = heldWork()
    const going = [1, 2].map(() => run('broker', 'ann', held.work))
    let isRefused = false
    const refused = assert
      .rejects(run('broker', 'ann', held.work), refusedWith('TOO_MANY_AT_ONCE'))
      .then(() => (isRefused = true))
    await pass(TURN_PATIENCE_MS - 1)
    await new Promise(setImmediate)
    assert.equal(isRefused, false)
    await pass(1)
    await refused
    held.end()
    await Promise.all(going)
  })

  it('refuse with TOO_BUSY who waits too long for the work of others, and keep no slot for them', async () => {
    const { run } = createWorkBounds(boundsOfAll)
    const held = heldWork()
    const going = ['ann', 'ann', 'ben'].map((caller) => run('broker', caller, held.work))
    const refused = assert.rejects(run('broker', 'cleo', held.work), refusedWith('TOO_BUSY'))
    await pass(TURN_PATIENCE_MS)
    await refused
    held.end()
    await Promise.all(going)
    assert.equal(await run('broker', 'cleo', () => Promise.resolve('now')), 'now')
  })

  it('go round between people first, and then between the tokens of each', async () => {
    const { run } = createWorkBounds({ ...boundsOfAll, entries: { atOnce: 2, waiting: 10, inAll: 2 } })
    const order: string[] = []
    const note = (sender: string) =>
      run('entries', { person: sender.slice(0, 3), sender }, async () => {
        order.push(sender)
        await new Promise(setImmediate)
      })
    const asked = ['ann1', 'ann1', 'ann1', 'ann1', 'ann2', 'ann2', 'ann3', 'ben1', 'ben1', 'cleo']
    await Promise.all(asked.map(note))
    const inTurn = 'ann1 ann1 ben1 cleo ann2 ben1 ann3 ann1 ann2 ann1'
    assert.equal(order.join(' '), inTurn)
  })

  it('leave room for another person, by however many tokens one floods', async () => {
    const { run } = createWorkBounds({
      ...boundsOfAll,
      entries: { atOnce: 3, waiting: 10, ofPerson: 3, inAll: 4 },
    })
    const held = heldWork()
    const flooding = Array.from({ length: 10 }, (_, token) =>
      run('entries', { person: 'ann', sender: `token ${token}` }, held.work),
    )
    await new Promise(setImmediate)
    assert.equal(held.begun(), 3)
    assert.equal(await run('entries', 'ben', () => Promise.resolve('at once')), 'at once')
    const refused = assert.rejects(
      Promise.all([run('entries', { person: 'ann', sender: 'one more' }, held.work), ...flooding]),
      refusedWith('TOO_MANY_AT_ONCE'),
    )
    await pass(TURN_PATIENCE_MS)
    await refused
    held.end()
    await Promise.allSettled(flooding)
  })

  it('count work no longer than it may be held, though it goes on', async () => {
    const { run, use } = createWorkBounds({
      ...boundsOfAll,
      entries: { atOnce: 1, waiting: 1, inAll: 1, heldAtMost: 50 },
    })
    const held = heldWork()
    const going = run('entries', 'ann', held.work)
    const next = run('entries', 'ann', () => Promise.resolve('next'))
    await pass(50)
    assert.equal(await next, 'next')
    assert.equal(use().entries.underWay, 0)
    held.end()
    assert.equal(await going, 'done')
    assert.equal(use().entries.underWay, 0, 'a place is not given back twice')
  })

  it('show what is under way, what waits and what was refused', async () => {
    const refused: WorkKind[] = []
    const { run, use } = createWorkBounds(boundsOfAll, (kind) => refused.push(kind))
    const held = heldWork()
    const taken = [1, 2, 3].map(() => run('signals', 'ann', held.work))
    await assert.rejects(run('signals', 'ann', held.work), refusedWith('TOO_MANY_AT_ONCE'))
    assert.deepEqual(
      [use().signals, use().trading, refused],
      [{ underWay: 2, waiting: 1 }, { underWay: 0, waiting: 0 }, ['signals']],
    )
    held.end()
    await Promise.all(taken)
    assert.deepEqual(use().signals, { underWay: 0, waiting: 0 })
  })

  it('pass on how the work itself fails, and are free afterwards', async () => {
    const { run } = createWorkBounds({ ...boundsOfAll, broker: { atOnce: 1, waiting: 0, inAll: 1 } })
    for (let round = 0; round < 3; round++)
      await assert.rejects(
        run('broker', 'ann', () => Promise.reject(new Error('no'))),
        /^Error: no$/,
      )
  })
})

describe('the bounds of routes', () => {
  const kindOf = (route: string): WorkKind | null => ACCESS_POLICY[route]!.work

  it('the bounds of routes hold for every route but probes, and for presses in Telegram once their channel is proven', () => {
    const unbound = Object.keys(ACCESS_POLICY).filter((route) => kindOf(route) === null)
    assert.deepEqual(unbound.toSorted(), ['GET /healthz', 'GET /readyz', 'POST /api/v1/telegram/:channelId'])
  })

  it('the bounds of routes stop a caller who has too much under way', async () => {
    const work = createWorkBounds(sameForAll({ atOnce: 1, waiting: 0 }))
    const api = await startApi({ work })
    try {
      const { jwt: token, userId } = await addPerson(api)
      const held = heldWork()
      const holding = (['ordinary', 'ordinary'] as const).map((kind, n) =>
        work.run(kind, [userId, 'ip:127.0.0.1'][n]!, held.work),
      )
      for (const [path, by] of [
        ['/api/v1/orders', token],
        ['/api/v1/app', undefined],
      ] as const) {
        const { status, body } = await api.call('GET', path, { token: by })
        assert.deepEqual([status, body.code ?? body.error], [503, 'TOO_MANY_AT_ONCE'], path)
      }
      assert.equal((await api.call('GET', '/healthz')).status, 200)
      held.end()
      await Promise.all(holding)
    } finally {
      await api.stop()
    }
  })

  it('keep the connections of trading for sending, deciding on, changing, cancelling and stopping orders', () => {
    const trading = Object.keys(ACCESS_POLICY).filter((route) =>
      ['trading', 'stopping', 'signals'].includes(kindOf(route) ?? ''),
    )
    const needed =
      /^POST \/hooks\/|^(POST|DELETE|PATCH) \/api\/v1\/(signals|signal-groups|orders|positions)\b|^PUT \/api\/v1\/(settings|admin|admin\/users\/:userId)\/halt\b/
    assert.deepEqual(
      trading.toSorted(),
      Object.keys(ACCESS_POLICY)
        .filter((route) => needed.test(route))
        .toSorted(),
    )
  })
})
