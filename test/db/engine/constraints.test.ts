import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { findLiveBySource } from '#db/signals/signals.ts'
import { TERMINAL_STATUSES, WORKING_STATUSES, type OrderStatus } from '#domain/order.ts'
import { FREED_STATUSES, SIGNAL_STATUSES, type SignalStatus } from '#domain/signal-status.ts'
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
    for (const status of SIGNAL_STATUSES) {
      const free = (FREED_STATUSES as readonly string[]).includes(status)
      it(`${free ? 'frees' : 'keeps'} it when its signal is ${status}`, async () => {
        const { accountId } = await createSignal(em, { sourceId: 'alert-1', status })
        const again = createSignal(em, { accountId, sourceId: 'alert-1' })
        if (free) await again
        else await assert.rejects(again, /signals_source/)
      })
    }

    /** The order that the signal had when it came to its end. */
    const ended = async (status: SignalStatus, order: OrderStatus, reason = 'BROKER_ERROR') => {
      const signal = await createSignal(em, { sourceId: 'alert-1', status: 'queued' })
      const report = orderReport(signal, { status: order })
      await applyOrderReport(em, signal.accountId, report)
      await em.execute('update signals set status = ?, status_reason = ? where id = ?', [
        status,
        reason,
        signal.id,
      ])
      return {
        signal,
        report,
        again: () => createSignal(em, { accountId: signal.accountId, sourceId: 'alert-1' }),
      }
    }
    for (const status of FREED_STATUSES) {
      for (const order of WORKING_STATUSES)
        it(`keeps it when its signal is ${status} and an order of it is ${order}, until that has ended`, async () => {
          const { signal, report, again } = await ended(status, order)
          await assert.rejects(again(), /signals_source/)
          const { id } = (await findLiveBySource(em, signal.userId, signal.accountId, 'alert-1'))!
          assert.equal(id, signal.id)
          await applyOrderReport(em, signal.accountId, { ...report, status: 'CANCELLED' })
          await again()
        })

      for (const order of TERMINAL_STATUSES)
        it(`frees it when its signal is ${status} and its order is ${order}`, async () => {
          await (await ended(status, order)).again()
        })

      it(`keeps it when its signal is ${status} and an exit of it works`, async () => {
        const { signal, again } = await ended(status, 'FILLED')
        const exit = orderReport(signal, { role: 'exit' })
        await applyOrderReport(em, signal.accountId, exit)
        await assert.rejects(again(), /signals_source/)
        await applyOrderReport(em, signal.accountId, { ...exit, status: 'FILLED', filledQuantity: '10' })
        await again()
      })

      it(`keeps it when its signal is ${status} and its order was let out and not given up`, async () => {
        const signal = await createSignal(em, { sourceId: 'alert-1', status: 'queued' })
        await em.execute(
          `insert into orders_out (client_order_id, account_id, reducing, registered_at, passes)
           values (?, ?, false, now(), 1)`,
          [`${signal.id}-e1`, signal.accountId],
        )
        await em.execute('update signals set status = ? where id = ?', [status, signal.id])
        const again = () => createSignal(em, { accountId: signal.accountId, sourceId: 'alert-1' })
        await assert.rejects(again(), /signals_source/)
      })
    }

    it('keeps it when its order was given up though the broker says to have it', async () => {
      const signal = await createSignal(em, { sourceId: 'alert-1', status: 'queued' })
      await em.execute(
        `insert into orders_out (client_order_id, account_id, reducing, registered_at, passes, given_up, hidden_since)
         values (?, ?, false, now(), 1, '{"outcome":"stale"}', now())`,
        [`${signal.id}-e1`, signal.accountId],
      )
      await em.execute(`update signals set status = 'error' where id = ?`, [signal.id])
      const again = createSignal(em, { accountId: signal.accountId, sourceId: 'alert-1' })
      await assert.rejects(again, /signals_source/)
    })

    it('passes it on where the signal was replaced, though its order works', async () => {
      await (await ended('cancelled', 'OPEN', 'SUPERSEDED')).again()
    })

    it('takes note of an order that is heard of after another signal has taken the sourceId', async () => {
      const signal = await createSignal(em, { sourceId: 'alert-1', status: 'error' })
      await createSignal(em, { accountId: signal.accountId, sourceId: 'alert-1' })
      const applied = await applyOrderReport(em, signal.accountId, orderReport(signal))
      assert.equal(applied?.report.status, 'OPEN')
    })

    it('lets many ended signals share it, and another account use it', async () => {
      const { accountId } = await createSignal(em, { sourceId: 'alert-1', status: 'rejected' })
      await createSignal(em, { accountId, sourceId: 'alert-1', status: 'cancelled' })
      await createSignal(em, { accountId, sourceId: 'alert-1', status: 'queued' })
      await createSignal(em, { sourceId: 'alert-1', status: 'queued' })
    })

    it('lets any number of signals have none', async () => {
      const { accountId } = await createSignal(em)
      await createSignal(em, { accountId })
    })

    it('sent ten times at once is taken once', async () => {
      const { id: accountId } = await createAccount(em)
      const sent = await Promise.allSettled(
        Array.from({ length: 10 }, () => createSignal(em, { accountId, sourceId: 'alert-1' })),
      )
      assert.equal(sent.filter(({ status }) => status === 'fulfilled').length, 1)
    })

    it('refuses an empty one and one of more than 255 characters', async () => {
      await createSignal(em, { sourceId: 'x'.repeat(255) })
      await assert.rejects(createSignal(em, { sourceId: '' }), /signals_source_id_check/)
      await assert.rejects(createSignal(em, { sourceId: 'x'.repeat(256) }), /signals_source_id_check/)
    })
  })

  describe('keeps owners apart', () => {
    it('refuses an account under another user’s connection', async () => {
      const connection = await createConnection(em)
      const stranger = await createUser(em)
      await assert.rejects(
        createAccount(em, { userId: stranger.id, brokerId: connection.id }),
        /foreign key constraint/,
      )
    })

    it('refuses a signal with another user’s strategy', async () => {
      const strategy = await createStrategy(em)
      await assert.rejects(createSignal(em, { strategyId: strategy.id }), /foreign key constraint/)
    })

    it('refuses a signal on another user’s account', async () => {
      const { id: accountId } = await createAccount(em)
      const stranger = await createUser(em)
      await assert.rejects(createSignal(em, { accountId, userId: stranger.id }), /foreign key constraint/)
    })
  })

  it('refuses a second primary account, and takes one for each user', async () => {
    const first = await createAccount(em, { isPrimary: true })
    await assert.rejects(createAccount(em, { userId: first.userId, isPrimary: true }), /accounts_one_primary/)
    await createAccount(em, { isPrimary: true })
  })

  it('refuses a second user with the same address in other letters', async () => {
    const name = randomUUID()
    await createUser(em, { email: `${name}@example.test` })
    await assert.rejects(createUser(em, { email: `${name.toUpperCase()}@Example.test` }), /users_email/)
  })

  const nonsense = {
    'a status that does not exist': { status: 'done' },
    'an action that does not exist': { action: 'buy' },
    'a quantity of zero': { quantity: '0' },
    'a negative quantity': { quantity: '-1' },
    'an exit status that does not exist': { exitStatus: 'done' },
  }
  for (const [name, fields] of Object.entries(nonsense))
    it(`refuses a signal with ${name}`, async () => {
      await assert.rejects(createSignal(em, fields as object), /check constraint/)
    })
})
