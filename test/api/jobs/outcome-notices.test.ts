import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { noticeOf } from '#api/notify/message.ts'
import type { Database } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { saveChoices } from '#db/notify/choices.ts'
import { DEFAULT_CHOICES, type NotificationChoices } from '#domain/alert/notification-choices.ts'
import { recordTaken } from '#db/notify/deliveries.ts'
import type { DueNotice } from '#db/notify/news.ts'
import { takeDueNotices } from '#db/notify/outbox.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import { useDatabase } from '../../support/database.ts'
import { createAccount, createSignal, createTrade } from '../../support/factories.ts'
import { subscribeBrowser } from '../support/push.ts'

const EVERYTHING = { filled: true, closed: true, refused: true }

describe('notices of outcomes', function () {
  this.timeout(60_000)
  let database: Database
  let account: { id: string; userId: string }

  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    await database.em.execute('delete from outbox')
    account = await createAccount(database.em)
    await subscribeBrowser(database.em, account.userId)
  })

  const choose = (choices: Partial<NotificationChoices>) =>
    saveChoices(database.em.fork(), account.userId, { ...DEFAULT_CHOICES, ...choices })
  const sent = (fields: Partial<Signal> = {}) =>
    createSignal(database.em, { accountId: account.id, ...fields })
  const refuse = ({ id }: Signal, reason = 'ORDER_TOO_LARGE', status = 'rejected') =>
    database.em.execute(
      `update signals set status = ?, status_reason = ?, status_detail = 'Too large' where id = ?`,
      [status, reason, id],
    )

  /** The entry of a signal, or a manual order, fills at the broker; with its exit it is another role. */
  async function fill(signal: Signal, role = 'entry'): Promise<string> {
    const id = randomUUID()
    await database.em.execute(
      `insert into orders (id, user_id, account_id, signal_id, role, client_order_id, broker_order_id, symbol, side,
         order_type, quantity, time_in_force, extended_hours, status, submitted_at)
       values (?, ?, ?, ?, ?, ?, ?, 'AAPL', 'BUY', 'market', 10, 'day', false, 'OPEN', now())`,
      [id, account.userId, account.id, signal.id, role, `${id}-e1`, id],
    )
    await database.em.execute(
      `update orders set status = 'FILLED', filled_quantity = 10, avg_fill_price = 187.4, filled_at = now() where id = ?`,
      [id],
    )
    if (role === 'entry')
      await database.em.execute(
        `update signals set status = 'executed', filled_quantity = 10, avg_fill_price = 187.4, entry_ended_at = now()
         where id = ?`,
        [signal.id],
      )
    return id
  }
  const addTrade = async ({ id }: Signal, status: 'OPEN' | 'CLOSED', realisedPnl: '12.5' | '-20' | null) => {
    const trade = await createTrade(database.em, { accountId: account.id, status: 'OPEN', realisedPnl: null })
    await database.em.execute('update trades set signal_id = ? where id = ?', [id, trade])
    if (status === 'CLOSED') await close(trade, realisedPnl!)
    return trade
  }
  const close = (trade: string, pnl: '12.5' | '-20') =>
    database.em.execute(
      `update trades set status = 'CLOSED', exit_price = 101, exit_at = now(), realised_pnl = ? where id = ?`,
      [pnl, trade],
    )

  const take = async (): Promise<DueNotice[]> => {
    const room = {
      most: 100,
      perUser: 100,
      ofUsers: {},
      perService: 100,
      ofServices: {},
      withEvents: true,
      seconds: 30,
    }
    const { due } = await takeDueNotices(database.em.fork(), room)
    return due
  }
  /** Sends what is due, and answers it as the phone shows it. */
  const told = async () => {
    const due = await take()
    for (const each of due) await recordTaken(database.em.fork(), each)
    return due
      .map((each) => noticeOf(each)!)
      .map(({ kind, title, body, url }) => ({ kind, title, body, url }))
  }
  const titles = async () => (await told()).map(({ title }) => title).toSorted()
  const afterTheQuiet = () => database.em.execute('update channels set quiet_until = now()')

  it('report only refusals to those who have chosen nothing', async () => {
    const [filled, refused] = [await sent(), await sent()]
    await fill(filled)
    await addTrade(filled, 'CLOSED', '12.5')
    await refuse(refused)
    assert.deepEqual(await told(), [
      {
        kind: 'refused',
        title: 'Signal refused',
        body: 'Open it to see more.',
        url: `/signals/${refused.id}`,
      },
    ])
  })

  it('report an entry and a manual order that fill, once, and no exit', async () => {
    await choose({ ...EVERYTHING, showFigures: true })
    const signal = await sent()
    await fill(signal)
    assert.deepEqual(await told(), [
      {
        kind: 'filled',
        title: 'Order filled',
        body: 'Bought 10 AAPL at $187.40',
        url: `/signals/${signal.id}`,
      },
    ])
    await database.em.execute('update orders set status = status, quantity = quantity')
    await fill(signal, 'exit')
    await afterTheQuiet()
    assert.deepEqual(await told(), [])
    const { userId, id: accountId } = account
    const ask = { side: 'BUY', reducesOnly: false } as const
    const byHand = await createSignal(database.em, { userId, accountId, origin: 'person', ask })
    const manual = await fill(byHand, 'manual')
    assert.deepEqual(
      (await told()).map(({ url }) => url),
      [`/orders/${manual}`],
    )
  })

  it('report the result when the last of what a signal opened is closed, and figures only where they were chosen', async () => {
    await choose(EVERYTHING)
    const signal = await sent()
    await database.em.execute(`update signals set status = 'executed', entry_ended_at = now() where id = ?`, [
      signal.id,
    ])
    const rest = await addTrade(signal, 'OPEN', null)
    await addTrade(signal, 'CLOSED', '12.5')
    assert.deepEqual(await told(), [])
    await close(rest, '-20')
    const [plain] = await take()
    assert.equal(noticeOf(plain!)!.body, 'Open it to see more.')
    assert.equal(noticeOf({ ...plain!, showFigures: true })!.body, 'AAPL: −$7.50')
    await recordTaken(database.em.fork(), plain!)
    await database.em.execute('update trades set fees = 1, realised_pnl = realised_pnl - 1')
    await afterTheQuiet()
    assert.deepEqual(await told(), [], 'a fee that is charged later is no news')
    const [before] = await database.em.execute<{ at: string }[]>(
      'select exit_at::text as at from trades where id = ?',
      [rest],
    )
    await database.em.execute(
      `update trades set status = 'OPEN', exit_price = null, exit_at = null, realised_pnl = null where id = ?`,
      [rest],
    )
    await database.em.execute(
      `update trades set status = 'CLOSED', exit_price = 101, exit_at = ?, realised_pnl = 1 where id = ?`,
      [before!.at, rest],
    )
    assert.deepEqual(await told(), [], 'nor are trades that are worked out anew')
  })

  it('report the result when the rest of an entry is cancelled after the shares that it opened were sold, once all are listed', async () => {
    await choose({ ...EVERYTHING, filled: false })
    const end = ({ id }: Signal, filled: number) =>
      database.em.execute('update signals set filled_quantity = ?, entry_ended_at = now() where id = ?', [
        filled,
        id,
      ])
    const [signal, unlisted] = [await sent({ status: 'executed' }), await sent({ status: 'executed' })]
    for (const each of [signal, unlisted]) await addTrade(each, 'CLOSED', '12.5')
    assert.deepEqual(await told(), [])
    await end(signal, 10)
    await end(unlisted, 11)
    assert.deepEqual(
      (await told()).map(({ title, url }) => [title, url]),
      [['Position closed', `/signals/${signal.id}`]],
    )
  })

  it('notices of outcomes do not report an outcome known hours later, as after a restoration', async () => {
    await choose(EVERYTHING)
    const signal = await sent({ status: 'executed' })
    await database.em.execute('update signals set entry_ended_at = now() where id = ?', [signal.id])
    const trade = await createTrade(database.em, { accountId: account.id, status: 'OPEN', realisedPnl: null })
    await database.em.execute(
      `update trades set signal_id = ?, status = 'CLOSED', exit_price = 1, realised_pnl = 1,
         exit_at = now() - interval '2 hours' where id = ?`,
      [signal.id, trade],
    )
    assert.deepEqual(await told(), [])
  })

  it('report a refusal once: by its alert where refusals were not chosen, and never what a person declined', async () => {
    const raise = ({ id }: Signal) =>
      raiseAlert(
        database.em.fork(),
        { accountId: account.id, signalId: id },
        { kind: 'ended_unfilled', message: 'Too large', data: {} },
      )
    const signal = await sent()
    await refuse(signal)
    await raise(signal)
    assert.deepEqual(await titles(), ['Signal refused'])
    await choose({ refused: false })
    const next = await sent()
    await refuse(next)
    await raise(next)
    assert.deepEqual(await titles(), ['Alert: ended unfilled'])
    await choose({})
    await refuse(await sent({ status: 'pending', executeMode: 'pending' }), 'DECLINED')
    await afterTheQuiet()
    assert.ok(!(await titles()).includes('Signal refused'))
  })

  it('a burst of fifty rings once for each kind within the quiet time, and counts the others', async () => {
    await choose({ ...EVERYTHING, showFigures: true })
    await fill(await sent())
    assert.deepEqual(await titles(), ['Order filled'])
    for (let count = 0; count < 49; count += 1) await fill(await sent())
    await refuse(await sent())
    assert.deepEqual(await told(), [], 'nothing while it is quiet')
    await afterTheQuiet()
    const gathered = await told()
    assert.deepEqual(gathered.map(({ title }) => title).toSorted(), ['49 orders filled', 'Signal refused'])
    const { body, url } = gathered.find(({ kind }) => kind === 'filled')!
    assert.deepEqual([body, url], ['Bought 10 AAPL at $187.40, and 48 more', '/orders?status=FILLED'])
    await afterTheQuiet()
    assert.deepEqual(await told(), [], 'each is told once')
  })

  it('a gathered notice that a process had not recorded when it died counts the same number again', async () => {
    await choose(EVERYTHING)
    await fill(await sent())
    await fill(await sent())
    const [first] = await take()
    assert.equal(first!.more, 1)
    await database.em.execute('update outbox set due_at = now()')
    await afterTheQuiet()
    await fill(await sent())
    assert.deepEqual(await titles(), ['3 orders filled'])
  })

  it('notices of a waiting signal that is refused put the one that it waits away, and ring for the refusal', async () => {
    const signal = await sent({ status: 'pending', executeMode: 'pending' })
    assert.deepEqual(await titles(), ['A signal needs your approval'])
    await refuse(signal)
    assert.deepEqual(await titles(), ['No longer needs approval', 'Signal refused'])
  })
})
