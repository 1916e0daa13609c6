import assert from 'node:assert/strict'
import { leftHookRequests, noteTry } from '#db/hooks/requests.ts'
import { useApi } from '../support/use-api.ts'
import { addHook, type TestHook } from './support/hook.ts'
import { pluck } from '#test/support/pluck.ts'

const NOW = { restMs: 4_000, mostOfPerson: 5, most: 30 }

describe('a message to a hook that is left over', () => {
  let fails: { at: string; code: string | undefined } | null = null
  const api = useApi({
    failpoint: (name) => {
      if (fails?.at === name) throw Object.assign(new Error('fails here'), { code: fails.code })
    },
  })
  afterEach(() => {
    fails = null
  })

  const run = (sql: string, parameters: unknown[]) => api.database.em.fork().execute(sql, parameters)
  const leave = (hook: TestHook, count: number, age: string) =>
    run(
      `insert into hook_requests (id, user_id, hook_id, received_at, ip, body, bytes)
       select gen_random_uuid(), ?, ?, now() - ?::interval - n * interval '1 millisecond', '::1', '{}', 2 from generate_series(1, ?) n`,
      [hook.owner.userId, hook.id, age, count],
    )
  const left = () => leftHookRequests(api.database.em.fork(), new Date(Date.now() - 5_000), NOW)

  for (const code of ['22P05', '22003', '23514', '54000'])
    it(`a message to a hook that fails with PostgreSQL's ${code} each time is refused at once, and its owner is alerted`, async () => {
      const hook = await addHook(api, { kind: 'signalstack' })
      fails = { at: 'api.before_commit', code }
      const { status, body } = await hook.send('BUY 5 NVDA')
      assert.deepEqual(
        [status, body.success, body.code],
        [400, false, 'INTERNAL_ERROR'],
        JSON.stringify(body),
      )
      const [request] = await hook.requests()
      assert.deepEqual([request.outcome, request.status], ['refused', 400])
      await api.whenIdle()
      const { body: alerts } = await hook.owner.call('GET', '/alerts')
      assert.ok(alerts.data.alerts.some(({ kind }: { kind: string }) => kind === 'signals_refused'))
    })

  it('a message to a hook that fails after its signals are stored ends with these signals', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    fails = { at: 'api.after_commit', code: '22P05' }
    assert.equal((await hook.send('BUY 5 NVDA')).status, 200)
    const [request] = await hook.requests()
    assert.equal(request.outcome, 'accepted')
    assert.equal((await hook.signals()).length, 1)
  })

  it('a message to a hook that may succeed the next time is tried again, and ends ten minutes after it came', async () => {
    const hook = await addHook(api, { kind: 'signalstack' })
    fails = { at: 'api.before_commit', code: '40001' }
    assert.equal((await hook.send('BUY 5 NVDA')).status, 200)
    const grow = (age: string) =>
      run(
        'update hook_requests set received_at = received_at - ?::interval, tried_at = null where hook_id = ?',
        [age, hook.id],
      )
    await grow('6 seconds')
    await api.hookSweep.sweep()
    assert.equal((await hook.requests())[0].outcome, null)
    await grow('10 minutes')
    await api.hookSweep.sweep()
    assert.equal((await hook.requests())[0].outcome, 'late')
    assert.deepEqual(await hook.signals(), [])
  })

  it('a message to a hook that is left over is tried in the turn of its person and hook, however many are left over of others', async () => {
    const owner = (await addHook(api)).owner
    const [flooded, second] = [await addHook(api, {}, { owner }), await addHook(api, {}, { owner })]
    const other = await addHook(api)
    await leave(flooded, 564, '9 minutes')
    await leave(second, 1, '1 minute')
    await leave(other, 1, '6 seconds')
    const first = await left()
    assert.deepEqual(
      new Set(pluck(first.slice(0, 2), 'hookId')),
      new Set([flooded.id, other.id]),
      'each person has the first turn of theirs before anybody has a second one',
    )
    assert.equal(first.length, NOW.mostOfPerson + 1)
    assert.ok(first.slice(0, 4).some(({ hookId }) => hookId === second.id))
    for (const { id } of first) await noteTry(api.database.em.fork(), id)
    const next = await left()
    assert.ok(next.every(({ hookId }) => hookId === flooded.id))
    assert.ok(next.every(({ id }) => !first.some((one) => one.id === id)))
    await run(
      `update hook_requests set tried_at = tried_at - interval '5 seconds' where tried_at is not null`,
      [],
    )
    await leave(flooded, 1, '1 hour')
    const [again] = (await left()).filter(({ hookId }) => hookId === flooded.id)
    assert.ok(!first.some((one) => one.id === again!.id), 'a request that was never tried comes first')
  })
})
