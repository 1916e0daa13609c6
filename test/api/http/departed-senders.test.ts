import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { senderOf } from '#api/http/principal.ts'
import { createWorkBounds, WORK_BOUNDS, type WorkBound, type WorkKind } from '#api/http/work-bounds.ts'
import { eventually } from '../../support/eventually.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

/** One at a time, so that whoever comes second waits. */
const one: WorkBound = { atOnce: 1, waiting: 100 }
const bounds: Record<WorkKind, WorkBound> = { ...WORK_BOUNDS, ordinary: one, trading: one, entries: one }

describe('a sender who has hung up', () => {
  let user: TestUser
  const work = createWorkBounds(bounds)
  const api = useApi({ work })
  before(async () => {
    user = await api.addUser()
  })

  /** Sends a request, and hangs up once it has been read, which takes a moment unless it can be seen. */
  const sendAndLeave = (
    method: string,
    path: string,
    body?: object,
    { token } = user,
    isRead: () => Promise<unknown> = () => sleep(200),
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const socket = connect(Number(new URL(api.address).port), '127.0.0.1', () => {
        socket.write(
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
        )
        void isRead().then(() => socket.destroy(), reject)
      })
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })

  const signalsNamed = async (sourceId: string): Promise<number> =>
    (await api.database.em.execute<unknown[]>('select 1 from signals where source_id = ?', [sourceId])).length

  const lines = (path: string, status: number) =>
    api.log.filter((line) => line['path'] === path && line['status'] === status).length

  it('a sender who has hung up gets no answer, and no signal is stored, where the request still waited to be processed', async () => {
    let end = (): void => {}
    const [token] = await api.database.em.execute<{ id: string }[]>(
      'select id from access_tokens where user_id = ?',
      [user.userId],
    )
    const key = senderOf({ userId: user.userId, tokenId: token!.id } as never)
    const busy = work.run('entries', key, () => new Promise<void>((resolve) => (end = resolve)))
    await sendAndLeave('POST', '/api/v1/signals', signalBody(user.accountId, { sourceId: 'left' }))
    await sleep(100)
    end()
    await busy
    await eventually(() => assert.equal(lines('/api/v1/signals', 499), 1))
    assert.equal(await signalsNamed('left'), 0)
  })

  const haltsOf = async (reason: string): Promise<number> =>
    (await api.database.em.execute<unknown[]>('select 1 from trading_halts where reason = ?', [reason]))
      .length

  it('a sender who has hung up has their halt, cancel and decision carried out, after any wait', async () => {
    const end = Promise.withResolvers<void>()
    const busy = work.run('trading', user.userId, () => end.promise)
    const order = randomUUID()
    const signal = randomUUID()
    await Promise.all([
      sendAndLeave('PUT', '/api/v1/settings/halt', { level: 'reduceOnly', reason: 'left while waiting' }),
      sendAndLeave('DELETE', `/api/v1/orders/${order}`),
      sendAndLeave('DELETE', `/api/v1/signals/${signal}`),
    ])
    end.resolve()
    await busy
    await eventually(async () => assert.equal(await haltsOf('left while waiting'), 1))
    await eventually(() => {
      assert.equal(lines('/api/v1/settings/halt', 200), 1)
      // They have been looked for.
      assert.equal(lines(`/api/v1/orders/${order}`, 404), 1)
      assert.equal(lines(`/api/v1/signals/${signal}`, 404), 1)
    })
  })

  it('a sender who has hung up has their halt carried out that still waited for the database to say who they are', async () => {
    const another = await api.addUser()
    const em = api.database.em.fork()
    await em.begin()
    await em.execute('lock table access_tokens in access exclusive mode')
    await sendAndLeave(
      'PUT',
      '/api/v1/settings/halt',
      { level: 'reduceOnly', reason: 'left before' },
      another,
    )
    await em.rollback()
    await eventually(async () => assert.equal(await haltsOf('left before'), 1))
  })
})
