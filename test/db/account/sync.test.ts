import assert from 'node:assert/strict'
import { BrokerPricesUnavailable } from '#brokers/port.ts'
import {
  findAccountConnection,
  listActiveConnections,
  saveAccountSnapshot,
  type AccountSnapshot,
} from '#db/account/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { SESSION_HAS_BEGUN } from '#db/engine/day-starts.ts'
import { Account, Position } from '#db/entities/index.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { createAccount, createConnection, createTrade } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { askLastCloses, syncAccount } from '#worker/feed/account-sync.ts'
import { UNRESTRICTED } from '#test/support/permissions.ts'

describe('account synchronisation', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const save = ({ id, userId }: Account, snapshot: AccountSnapshot) =>
    saveAccountSnapshot(em.fork(), { accountId: id, userId }, snapshot)
  const accountNow = (id: string) => em.fork().findOneOrFail(Account, { id })
  const held = async (accountId: string) => {
    const rows = await em.fork().find(Position, { accountId }, { orderBy: { symbol: 'asc' } })
    return rows.map(({ symbol, side, quantity }) => `${side} ${Number(quantity)} ${symbol}`)
  }

  const closesOf = async (id: string) => {
    const select = 'select closes from account_day_starts where account_id = ?'
    const [row] = await em.fork().execute<{ closes: unknown }[]>(select, [id])
    return row!.closes
  }

  describe('saving a snapshot', () => {
    it('replaces balances and positions; a position that was closed vanishes', async () => {
      const account = await createAccount(em)
      await save(account, snapshot({ positions: [position('AAPL', '10'), position('MSFT', '5')] }))
      assert.deepEqual(await held(account.id), ['LONG 10 AAPL', 'LONG 5 MSFT'])
      const positions = [position('AAPL', '3', 'SHORT'), position('TSLA', '0.5')]
      await save(account, snapshot({ equity: '99000.25', positions }))
      assert.deepEqual(await held(account.id), ['SHORT 3 AAPL', 'LONG 0.5 TSLA'])
      const now = await accountNow(account.id)
      assert.deepEqual([Number(now.equity), Number(now.unrealisedPnl)], [99_000.25, 2.5])
      assert.ok(now.lastSyncedAt)
    })

    it('saving a snapshot of a flat account leaves no position, and those of other accounts alone', async () => {
      const account = await createAccount(em)
      const other = await createAccount(em)
      for (const one of [account, other]) await save(one, snapshot({ positions: [position('AAPL', '10')] }))
      await save(account, snapshot({ positions: [] }))
      assert.deepEqual([await held(account.id), await held(other.id)], [[], ['LONG 10 AAPL']])
    })

    it('saving a snapshot that cannot be stored whole changes nothing', async () => {
      const account = await createAccount(em)
      await save(account, snapshot({ positions: [position('AAPL', '10')] }))
      const before = await accountNow(account.id)
      const broken = snapshot({ equity: '1', positions: [position('MSFT', '5'), position('TSLA', '0')] })
      await assert.rejects(save(account, broken), /positions_quantity_check/)
      assert.deepEqual(await held(account.id), ['LONG 10 AAPL'])
      assert.deepEqual(await accountNow(account.id), before)
    })

    it('saving a snapshot notes the last closes of the day, which stay when a position is closed', async () => {
      const account = await createAccount(em)
      const risen = { ...position('AAPL', '10'), dayChange: '3' } as const
      await save(account, snapshot({ positions: [risen, position('MSFT', '5')] }))
      await save(account, snapshot({ positions: [] }))
      assert.deepEqual(await closesOf(account.id), { AAPL: '98' })
    })

    it('ten times at once leaves one of them whole', async () => {
      const account = await createAccount(em)
      const take = (index: number) => {
        const positions = [position('AAPL', `${index + 1}`), position('MSFT', '1')]
        return save(account, snapshot({ equity: `${index}`, positions }))
      }
      await Promise.all(Array.from({ length: 10 }, (_, index) => take(index)))
      const equity = Number((await accountNow(account.id)).equity)
      assert.deepEqual(await held(account.id), [`LONG ${equity + 1} AAPL`, 'LONG 1 MSFT'])
    })
  })

  it('account synchronisation asks the market once for the last close of shares that were sold today before it saw them', async () => {
    const [{ begun } = { begun: false }] = await em.execute<{ begun: boolean }[]>(
      `select ${SESSION_HAS_BEGUN} as begun`,
    )
    for (const [trouble, close] of [
      [null, '96'],
      [new BrokerPricesUnavailable('not in the plan'), null],
    ] as const) {
      const { id, userId } = await createAccount(em)
      const trade = await createTrade(em, { accountId: id, symbol: 'KO' })
      await em.execute(`update trades set entry_at = entry_at - interval '2 days' where id = ?`, [trade])
      const broker = Object.assign(new ScriptedBroker(), { lastPrice: '100', priceTrouble: trouble })
      for (let times = 0; times < 2; times++) {
        await syncAccount(em, broker, { accountId: id, userId })
        await askLastCloses(em.fork(), broker, id)
      }
      assert.equal(broker.requests.get('getQuotes') ?? 0, begun ? 1 : 0)
      assert.deepEqual(await closesOf(id), begun ? { KO: close } : {})
    }
  })

  it('lists the connections of active accounts and finds that of each', async () => {
    const connection = await createConnection(em, { baseUrl: 'http://venue.test' })
    const owner = { userId: connection.userId, brokerId: connection.id }
    const open = await createAccount(em, owner)
    const closed = await createAccount(em, { ...owner, isActive: false })
    const listed = (await listActiveConnections(em)).map(({ accountId }) => accountId)
    assert.deepEqual([listed.includes(open.id), listed.includes(closed.id)], [true, false])
    const found = await findAccountConnection(em, open.id)
    assert.deepEqual([found?.brokerId, found?.baseUrl], [connection.id, 'http://venue.test'])
    assert.equal(await findAccountConnection(em, connection.id), null)
  })
})

const snapshot = (fields: Partial<AccountSnapshot>): AccountSnapshot => ({
  type: 'MARGIN',
  currency: 'USD',
  equity: '100000',
  cashBalance: '90000',
  buyingPower: '180000',
  dayTradingBuyingPower: null,
  permissions: UNRESTRICTED,
  marketValue: '10000',
  positions: [],
  ...fields,
})

const position = (symbol: string, quantity: Decimal, side: 'LONG' | 'SHORT' = 'LONG') =>
  ({
    symbol,
    side,
    quantity,
    avgCost: '100.123456789',
    currentPrice: '101',
    marketValue: '1010',
    unrealisedPnl: '1.25',
    unrealisedPnlPercent: '1',
    dayChange: null,
    dayChangePercent: null,
  }) as const
