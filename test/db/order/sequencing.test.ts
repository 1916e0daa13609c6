import assert from 'node:assert/strict'
import type { Database } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import { listenForNews, type NewsListener } from '#db/live/listener.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { claimWaitersFor, listWaiters, recordSequencingWait } from '#db/order/sequencing.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { signalIn, timelineOf } from '#test/support/ledger.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { useDatabase } from '#test/support/database.ts'
import { sequencingNotifier } from '#worker/sequencing-notifier.ts'

const UNTIL = '2026-03-02T15:05:00.000Z'

describe('signals that wait for their turn', () => {
  let url: string
  let database: Database
  let account: Account
  let earlier: Signal
  let later: Signal
  const listeners: NewsListener[] = []
  useDatabase((opened, address) => {
    database = opened
    url = address
  })
  beforeEach(async () => {
    account = await createAccount(database.em)
    earlier = await createSignal(database.em, { accountId: account.id, action: 'closeLong' })
    later = await createSignal(database.em, { accountId: account.id, action: 'openShort' })
  })
  afterEach(async () => {
    for (const listener of listeners.splice(0)) await listener.stop()
  })

  function startNotifier(notify: (signalId: string) => Promise<void>, { log } = loggerInMemory()): void {
    const notifier = sequencingNotifier({ databaseUrl: url, em: database.em, notify, log })
    notifier.start()
    listeners.push(notifier)
  }

  const begin = (newestStatus = 'queued') =>
    recordSequencingWait(database.em, later.id, { behind: [earlier.id], newestStatus, until: UNTIL })
  const wait = async () => begin((await signalIn(database.em, earlier.id)).status)

  it('keep the first instant of their wait’s end, and notify their owner once', async () => {
    assert.deepEqual(await wait(), { until: UNTIL, hasChanged: false })
    const again = { behind: [earlier.id], newestStatus: 'queued', until: '2027-01-01T00:00:00.000Z' }
    assert.deepEqual(await recordSequencingWait(database.em, later.id, again), {
      until: UNTIL,
      hasChanged: false,
    })
    const { advisories } = await signalIn(database.em, later.id)
    const codes = advisories.map(({ code }) => code)
    assert.deepEqual(codes, ['waits_for_earlier_signals'])
    const told = (await timelineOf(database.em, later.id)).map(({ kind, message }) => `${kind}: ${message}`)
    assert.deepEqual(told, [
      `waiting: It waits for earlier signals of its account and symbol (${earlier.id}), until ${UNTIL} at most`,
    ])
  })

  it('signals that wait for their turn are notified by one of several workers, once for each change', async () => {
    await wait()
    const claims = await Promise.all([1, 2, 3].map(() => claimWaitersFor(database.em.fork(), earlier.id)))
    assert.deepEqual(claims.flat(), [later.id])
    await wait()
    assert.deepEqual(await claimWaitersFor(database.em, earlier.id), [later.id])
  })

  it('signals that wait for their turn of a long queue are woken by the one right before them alone, so that a change wakes one of a thousand', async () => {
    const queue = [earlier, later]
    for (let place = 2; place < 40; place += 1)
      queue.push(await createSignal(database.em, { accountId: account.id, action: 'openShort' }))
    const ids = queue.map(({ id }) => id)
    for (const [place, id] of ids.entries())
      if (place > 0)
        await recordSequencingWait(database.em, id, {
          behind: ids.slice(0, place),
          newestStatus: 'queued',
          until: UNTIL,
        })
    for (const [place, id] of ids.entries())
      assert.deepEqual(await claimWaitersFor(database.em, id), ids.slice(place + 1, place + 2))
  })

  it('signals that wait for their turn of another account or symbol are not notified', async () => {
    later = await createSignal(database.em, { action: 'openShort' })
    await wait()
    assert.deepEqual(await claimWaitersFor(database.em, earlier.id), [])
  })

  it('signals that wait for their turn are notified as soon as an earlier one was sent, has ended, or was refused', async () => {
    const notified: string[] = []
    const notify = async (id: string) => void notified.push(id)
    await wait()
    startNotifier(notify)
    // What was missed before it listened.
    await eventually(() => assert.ok(notified.includes(later.id)))
    const notifies = async (act: () => Promise<unknown>) => {
      await wait()
      notified.length = 0
      await act()
      await eventually(() => assert.deepEqual(notified, [later.id]))
    }
    const report = orderReport(earlier)
    await notifies(() => recordAccepted(database.em, report))
    await notifies(() => applyOrderReport(database.em, account.id, withFill(report, '10')))
    earlier = await createSignal(database.em, { accountId: account.id, action: 'closeLong' })
    await notifies(() =>
      recordNotPlaced(database.em, earlier.id, UNTIL, {
        outcome: 'rejected',
        code: 'INVALID_ORDER',
        detail: 'no',
      }),
    )
  })

  describe('when the one right before them changes while they begin to wait', () => {
    it('learn of a change since they looked, or of its end, which wakes no signal any more', async () => {
      await recordAccepted(database.em, orderReport(earlier))
      assert.equal((await begin()).hasChanged, true)
      await applyOrderReport(database.em, account.id, withFill(orderReport(earlier), '10'))
      await database.em.execute(`update signals set status = 'queued' where id = ?`, [earlier.id])
      assert.equal((await begin()).hasChanged, true)
    })

    it('wait for a change that is about to be committed', async () => {
      const changing = database.em.fork()
      await changing.begin()
      await changing.execute(`update signals set status = 'executed' where id = ?`, [earlier.id])
      const beginning = begin()
      // It has come to the lock.
      await eventually(async () => {
        const rows = await database.em
          .fork()
          .execute<{ pid: number }[]>(`select pid from pg_locks where not granted`)
        assert.ok(rows.length > 0)
      })
      await changing.commit()
      assert.equal((await beginning).hasChanged, true)
    })
  })

  it('signals that wait for their turn are notified again when one could not be notified', async () => {
    const notified: string[] = []
    let isAway = true
    const notify = async (id: string) => {
      if (isAway) throw new Error('Temporal is away')
      notified.push(id)
    }
    const logged = loggerInMemory()
    startNotifier(notify, logged)
    await wait()
    await recordAccepted(database.em, orderReport(earlier))
    await eventually(() => assert.ok(logged.lines.some(({ msg }) => /could not be notified yet/.test(msg))))
    isAway = false
    await eventually(() => assert.ok(notified.includes(later.id)), { within: 10_000 })
  })

  it('cause no notification while no signal waits', async () => {
    const heard: (string | undefined)[] = []
    const lost = () => assert.fail('the connection is lost')
    listeners.push(listenForNews(url, 'sequencing', (told) => heard.push(told), lost))
    await eventually(() => assert.deepEqual(heard, [undefined]))
    await recordAccepted(database.em, orderReport(earlier))
    await wait()
    assert.ok((await listWaiters(database.em)).includes(later.id))
    await applyOrderReport(database.em, account.id, withFill(orderReport(earlier), '10'))
    await eventually(() => assert.deepEqual(heard, [undefined, earlier.id]))
  })
})
