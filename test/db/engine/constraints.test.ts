import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { findLiveBySource } from '#db/signal/signals.ts'
import {
  TERMINAL_STATUSES,
  WORKING_STATUSES,
  type OrderReport,
  type OrderStatus,
} from '#domain/order/order.ts'
import { FREED_STATUSES, SIGNAL_STATUSES, type SignalStatus } from '#domain/signal/signal.ts'
import {
  createAccount,
  createConnection,
  createSignal,
  createStrategy,
  createUser,
  orderReport,
} from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

/** What the schema itself refuses, whoever writes. */
describe('the schema', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  describe('of a sourceId', () => {
    const named = (fields: Partial<Signal> = {}) => createSignal(em, { sourceId: 'alert-1', ...fields })
    const isKept = (again: Promise<unknown>) => assert.rejects(again, /signals_source/)

    for (const status of SIGNAL_STATUSES) {
      const free = (FREED_STATUSES as readonly string[]).includes(status)
      it(`${free ? 'frees' : 'keeps'} it when its signal is ${status}`, async () => {
        const { accountId } = await named({ status })
        await (free ? named({ accountId }) : isKept(named({ accountId })))
      })
    }

    /** The order that the signal had when it came to its end. */
    const ended = async (status: SignalStatus, order: OrderStatus, reason = 'BROKER_ERROR') => {
      const signal = await named({ status: 'queued' })
      const { accountId } = signal
      const apply = (report: OrderReport) => applyOrderReport(em, accountId, report)
      const report = orderReport(signal, { status: order })
      await apply(report)
      await em.execute('update signals set status = ?, status_reason = ? where id = ?', [
        status,
        reason,
        signal.id,
      ])
      return { signal, report, apply, again: () => named({ accountId }) }
    }
    /** Its order was let out, with these columns of the gate besides; then it came to its end. */
    const permitted = async (status: SignalStatus, gate: Record<string, string> = {}) => {
      const { id, accountId } = await named({ status: 'queued' })
      await em.execute(
        `insert into send_permits (client_order_id, account_id, reducing, registered_at, permits, given_up, hidden_since)
         values (?, ?, false, now(), 1, ?, ?)`,
        [`${id}-e1`, accountId, gate['given_up'] ?? null, gate['hidden_since'] ?? null],
      )
      await em.execute('update signals set status = ? where id = ?', [status, id])
      return named({ accountId })
    }
    for (const status of FREED_STATUSES) {
      for (const order of WORKING_STATUSES)
        it(`keeps it when its signal is ${status} and an order of it is ${order}, until that has ended`, async () => {
          const { signal, report, apply, again } = await ended(status, order)
          await isKept(again())
          const live = await findLiveBySource(em, signal.userId, signal.accountId, 'alert-1')
          assert.equal(live!.id, signal.id)
          await apply({ ...report, status: 'CANCELLED' })
          await again()
        })

      for (const order of TERMINAL_STATUSES)
        it(`frees it when its signal is ${status} and its order is ${order}`, async () => {
          await (await ended(status, order)).again()
        })

      it(`keeps it when its signal is ${status} and an exit of it works, or its order passed the gate and is not given up`, async () => {
        const { signal, apply, again } = await ended(status, 'FILLED')
        const exit = orderReport(signal, { role: 'exit' })
        await apply(exit)
        await isKept(again())
        await apply({ ...exit, status: 'FILLED', filledQuantity: '10' })
        await again()
        await isKept(permitted(status))
      })
    }

    it('keeps it when its order was given up though the broker says to have it, and not otherwise', async () => {
      await isKept(permitted('error', { given_up: '{"outcome":"stale"}', hidden_since: '2026-03-02' }))
      await permitted('error', { given_up: '{"outcome":"stale"}' })
    })

    it('permits it on where the signal was replaced, though its order works', async () => {
      await (await ended('cancelled', 'OPEN', 'SUPERSEDED')).again()
    })

    it('takes note of an order that is reported after another signal has taken the sourceId', async () => {
      const signal = await named({ status: 'error' })
      await named({ accountId: signal.accountId })
      const applied = await applyOrderReport(em, signal.accountId, orderReport(signal))
      assert.equal(applied?.report.status, 'OPEN')
    })

    it('lets many ended signals share it, another account use it, and any number of signals have none', async () => {
      const { accountId } = await named({ status: 'rejected' })
      await named({ accountId, status: 'cancelled' })
      await named({ accountId, status: 'queued' })
      await named({ status: 'queued' })
      for (let count = 0; count < 2; count++) await createSignal(em, { accountId })
    })

    it('sent ten times at once is taken once', async () => {
      const { id: accountId } = await createAccount(em)
      const sent = await Promise.allSettled(Array.from({ length: 10 }, () => named({ accountId })))
      assert.equal(sent.filter(({ status }) => status === 'fulfilled').length, 1)
    })

    it('refuses an empty one and one of more than 255 characters', async () => {
      await named({ sourceId: 'x'.repeat(255) })
      for (const sourceId of ['', 'x'.repeat(256)])
        await assert.rejects(named({ sourceId }), /signals_source_id_check/)
    })
  })

  const stranger = async () => ({ userId: (await createUser(em)).id })
  const REFUSED: [what: string, why: RegExp, write: () => Promise<unknown>][] = [
    [
      'an account under another user’s connection',
      /foreign key constraint/,
      async () => createAccount(em, { ...(await stranger()), brokerId: (await createConnection(em)).id }),
    ],
    [
      'a signal with another user’s strategy',
      /foreign key constraint/,
      async () => createSignal(em, { strategyId: (await createStrategy(em)).id }),
    ],
    [
      'a signal on another user’s account',
      /foreign key constraint/,
      async () => createSignal(em, { ...(await stranger()), accountId: (await createAccount(em)).id }),
    ],
    ...Object.entries({
      'a status that does not exist': { status: 'done' },
      'an action that does not exist': { action: 'buy' },
      'a quantity of zero': { quantity: '0' },
      'a negative quantity': { quantity: '-1' },
      'an exit status that does not exist': { exitStatus: 'done' },
    }).map(([what, fields]): [string, RegExp, () => Promise<unknown>] => [
      `a signal with ${what}`,
      /check constraint/,
      () => createSignal(em, fields as object),
    ]),
  ]
  for (const [what, why, write] of REFUSED)
    it(`refuses ${what}`, async () => {
      await assert.rejects(write(), why)
    })

  it('refuses a second primary account, and takes one for each user', async () => {
    const { userId } = await createAccount(em, { isPrimary: true })
    await assert.rejects(createAccount(em, { userId, isPrimary: true }), /accounts_one_primary/)
    await createAccount(em, { isPrimary: true })
  })

  it('refuses a second user with the same address in other letters', async () => {
    const name = randomUUID()
    await createUser(em, { email: `${name}@example.test` })
    await assert.rejects(createUser(em, { email: `${name.toUpperCase()}@Example.test` }), /users_email/)
  })
})
