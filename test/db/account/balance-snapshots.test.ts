import assert from 'node:assert/strict'
import {
  fillFromDayStarts,
  listAccountsWithoutSnapshot,
  listBrokersInUse,
  recordBalanceSnapshot,
} from '#db/account/balance-snapshots.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { actAs } from '#db/engine/row-security.ts'
import { snapshotWindows } from '#domain/account/balance-snapshot.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { localToInstant } from '#domain/time/wall-time.ts'
import { createAccount, createConnection, createUser } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

const inNewYork = (local: string) => localToInstant(local, 'America/New_York')

describe('balance snapshots in the ledger', () => {
  let database: Database
  let em: EntityManager
  let account: Account
  useDatabase((opened) => {
    database = opened
    em = database.em.fork()
  })
  beforeEach(async () => {
    await em.execute('delete from users')
    account = await createAccount(em)
  })

  const snapshots = async (view = em) =>
    (
      await view.execute<{ told: string }[]>(
        `select concat_ws(' ', date, equity, cash_balance) as told from balance_snapshots order by account_id, date`,
      )
    ).map(({ told }) => told)
  const record = (date: string, equity: Decimal, accountId = account.id) =>
    recordBalanceSnapshot(em.fork(), { accountId, date, equity, cashBalance: '5' })

  it('balance snapshots in the ledger are recorded once for each day, however many record it at once: the first ones stay', async () => {
    await record('2026-03-02', '100.1234')
    await Promise.all(Array.from({ length: 6 }, () => record('2026-03-02', '999')))
    await Promise.all(Array.from({ length: 6 }, () => record('2026-03-03', '101')))
    assert.deepEqual(await snapshots(), ['2026-03-02 100.1234 5.0000', '2026-03-03 101.0000 5.0000'])
  })

  it('balance snapshots in the ledger of an account that is gone are not recorded, and go with it', async () => {
    await record('2026-03-02', '100')
    await em.execute('delete from accounts where id = ?', [account.id])
    await record('2026-03-03', '100')
    assert.deepEqual(await snapshots(), [])
  })

  it('balance snapshots in the ledger are shown to their owner alone, who cannot change them', async () => {
    await record('2026-03-02', '100')
    const as = (userId: string) => {
      const view = database.em.fork()
      actAs(view, userId)
      return view
    }
    assert.equal((await snapshots(as(account.userId))).length, 1)
    assert.equal((await snapshots(as((await createUser(em)).id))).length, 0)
    await assert.rejects(
      as(account.userId).execute('update balance_snapshots set equity = 1'),
      /permission denied/,
    )
  })

  it('balance snapshots in the ledger are missing of the active accounts at a kind of broker that have none for the day', async () => {
    const paper = await createConnection(em, { userId: account.userId, brokerType: 'paper' })
    const other = await createAccount(em, { userId: account.userId, brokerId: paper.id })
    await createAccount(em, { isActive: false })
    const second = await createAccount(em)
    const missing = (broker: string, date: string) => listAccountsWithoutSnapshot(em, broker, date)
    assert.deepEqual(await missing('alpaca', '2026-03-02'), [account.id, second.id])
    await record('2026-03-02', '100')
    assert.deepEqual(await missing('alpaca', '2026-03-02'), [second.id])
    assert.deepEqual(await missing('alpaca', '2026-03-03'), [account.id, second.id])
    assert.deepEqual(await missing('paper', '2026-03-02'), [other.id])
  })

  it('balance snapshots in the ledger are wanted of the kinds of brokers with active accounts, whose healthy and fresh ones are asked first', async () => {
    const { userId } = account
    const broken = await createConnection(em, { userId, status: 'error' })
    const refused = await createAccount(em, { userId, brokerId: broken.id, lastSyncedAt: new Date() })
    const fresh = await createAccount(em, { userId, brokerId: account.brokerId, lastSyncedAt: new Date() })
    const paper = await createConnection(em, { brokerType: 'paper', userId })
    await createAccount(em, { isActive: false, brokerId: paper.id, userId })
    assert.deepEqual(await listBrokersInUse(em), [
      { brokerType: 'alpaca', accountIds: [fresh.id, account.id, refused.id] },
    ])
    await em.execute('delete from accounts')
    assert.deepEqual(await listBrokersInUse(em), [])
  })

  describe('of days that were not recorded', () => {
    // Monday to Monday; the Friday after Thanksgiving is a half day.
    const windows = snapshotWindows(nyseSessions('2026-11-23', '2026-11-30'))
    const dayStarted = (at: string, equity: Decimal, cash: Decimal | null = '7') =>
      em.execute(
        `insert into account_day_starts (account_id, day, equity, cash_balance, recorded_at)
         values (?, (?::timestamptz at time zone 'America/New_York')::date, ?, ?, ?)`,
        [account.id, at, equity, cash, at],
      )
    const fill = () => fillFromDayStarts(em, 'alpaca', windows)

    it('balance snapshots in the ledger of days that were not recorded are the first balances that were copied between the close and the next opening', async () => {
      await dayStarted(inNewYork('2026-11-24T00:00:12'), '100')
      await dayStarted(inNewYork('2026-11-25T08:00'), '200')
      // Thanksgiving and the days around the weekend: the end of Wednesday, then of Friday.
      await dayStarted(inNewYork('2026-11-26T00:00:05'), '300')
      await dayStarted(inNewYork('2026-11-27T00:00:05'), '310')
      await dayStarted(inNewYork('2026-11-28T00:00:05'), '400')
      await dayStarted(inNewYork('2026-11-29T00:00:05'), '410')
      assert.equal(await fill(), 4)
      assert.deepEqual(await snapshots(), [
        '2026-11-23 100.0000 7.0000',
        '2026-11-24 200.0000 7.0000',
        '2026-11-25 300.0000 7.0000',
        '2026-11-27 400.0000 7.0000',
      ])
      assert.equal(await fill(), 0)
    })

    it('stay absent when the next session had begun before anything was copied, and where the cash is not known', async () => {
      await dayStarted(inNewYork('2026-11-24T09:30'), '100')
      await dayStarted(inNewYork('2026-11-25T11:00'), '100')
      await dayStarted(inNewYork('2026-11-26T00:00:12'), '100', null)
      assert.equal(await fill(), 0)
      assert.deepEqual(await snapshots(), [])
    })

    it('balance snapshots in the ledger of days that were not recorded do not replace recorded ones', async () => {
      await record('2026-11-23', '123')
      await dayStarted(inNewYork('2026-11-24T00:00:12'), '100')
      assert.equal(await fill(), 0)
      assert.deepEqual(await snapshots(), ['2026-11-23 123.0000 5.0000'])
    })

    it('balance snapshots in the ledger of days that were not recorded are filled for accounts that are not active any more, at this kind of broker alone', async () => {
      await dayStarted(inNewYork('2026-11-24T00:00:12'), '100')
      await em.execute('update accounts set is_active = false')
      assert.equal(await fillFromDayStarts(em, 'paper', windows), 0)
      assert.equal(await fillFromDayStarts(em, 'alpaca', []), 0)
      assert.equal(await fill(), 1)
    })
  })
})
