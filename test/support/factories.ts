import { randomUUID } from 'node:crypto'
import { sealCredentials } from '#db/broker/credentials.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { Account, BrokerConnection, Position, Signal, Strategy, User } from '#db/entities/index.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor, type OrderReport, type OrderRole } from '#domain/order/order.ts'
import { newSignalOf } from './new-signal.ts'
import { secretKeys } from './secret-keys.ts'

/**
 * Rows for tests, stored with everything that they need: an account comes with its user and connection, a
 * signal with its account. Give a parent's id to hang a row below one that exists.
 */

type Fields<Row> = Partial<Row>

/** What every connection of a test is sealed with. */
const BROKER_KEYS = { keyId: 'KEY', secretKey: 'SECRET' }

export async function createUser(em: EntityManager, fields: Fields<User> = {}): Promise<User> {
  const id = fields.id ?? randomUUID()
  return store(em, User, {
    id,
    email: `${id}@example.test`,
    role: 'member',
    plan: 'PRO',
    passwordHash: null,
    tradingMode: 'PAPER',
    disabledAt: null,
    ...stamps(),
    ...fields,
  })
}

export async function createConnection(
  em: EntityManager,
  fields: Fields<BrokerConnection> = {},
): Promise<BrokerConnection> {
  const userId = fields.userId ?? (await createUser(em)).id
  const id = fields.id ?? randomUUID()
  return store(em, BrokerConnection, {
    id,
    userId,
    brokerType: 'alpaca',
    name: 'Paper',
    baseUrl: 'http://broker.test',
    sealedCredentials: sealCredentials(secretKeys, { brokerId: id, userId }, BROKER_KEYS),
    status: 'connected',
    statusDetail: null,
    lastCheckedAt: null,
    failingSince: null,
    unansweredSince: null,
    deletedAt: null,
    ...stamps(),
    ...fields,
  })
}

export async function createAccount(em: EntityManager, fields: Fields<Account> = {}): Promise<Account> {
  const userId = fields.userId ?? (await createUser(em)).id
  const brokerId = fields.brokerId ?? (await createConnection(em, { userId })).id
  const id = fields.id ?? randomUUID()
  return store(em, Account, {
    id,
    userId,
    brokerId,
    brokerAccountId: `PA-${id}`,
    name: 'Paper account',
    type: 'MARGIN',
    currency: 'USD',
    equity: '0',
    cashBalance: '0',
    buyingPower: '0',
    dayTradingBuyingPower: null,
    marketValue: '0',
    unrealisedPnl: '0',
    realisedPnl: '0',
    isActive: true,
    isDemo: true,
    isPrimary: false,
    flatByClose: null,
    permissions: null,
    lastSyncedAt: null,
    equityRecord: null,
    ...stamps(),
    ...fields,
  })
}

export async function createStrategy(em: EntityManager, fields: Fields<Strategy> = {}): Promise<Strategy> {
  const userId = fields.userId ?? (await createUser(em)).id
  return store(em, Strategy, {
    id: randomUUID(),
    userId,
    name: `Opening range ${randomUUID()}`,
    description: null,
    status: 'active',
    defaultAccountId: null,
    metadata: {},
    expects: null,
    expectsSince: new Date(),
    flatByClose: null,
    archivedAt: null,
    ...stamps(),
    ...fields,
  })
}

/** An immediate signal to buy 10 AAPL at market, accepted and not yet sent, unless told otherwise. */
export async function createSignal(em: EntityManager, fields: Fields<Signal> = {}): Promise<Signal> {
  const account =
    fields.accountId === undefined
      ? await createAccount(em, fields.userId === undefined ? {} : { userId: fields.userId })
      : await em.fork().findOneOrFail(Account, { id: fields.accountId })
  return store(em, Signal, {
    ...newSignalOf(account, {
      orderType: 'market',
      limitPrice: null,
      timeInForce: 'day',
      acceptedAt: new Date(),
    }),
    ask: null,
    statusReason: null,
    statusDetail: null,
    orderId: null,
    filledQuantity: '0',
    avgFillPrice: null,
    exitStatus: null,
    exitSubmitAt: null,
    exitOrderId: null,
    exitReason: null,
    target: null,
    continues: null,
    tokenId: null,
    sentBy: null,
    heldPrice: null,
    decidedBy: null,
    decidedAt: null,
    approvalRefused: null,
    checkedAt: null,
    workflowStartedAt: null,
    updatedAt: new Date(),
    ...fields,
  })
}

/** Ten shares of AAPL, bought at 1, unless told otherwise. */
export async function createPosition(
  em: EntityManager,
  fields: Pick<Position, 'userId' | 'accountId'> & Fields<Position>,
): Promise<Position> {
  return store(em, Position, {
    id: randomUUID(),
    symbol: 'AAPL',
    side: 'LONG',
    quantity: '10',
    avgCost: '1',
    currentPrice: '1',
    marketValue: '10',
    unrealisedPnl: '0',
    unrealisedPnlPercent: '0',
    dayChange: null,
    dayChangePercent: null,
    updatedAt: new Date(),
    ...fields,
  })
}

/** Stores so many copies of a signal, in one statement; answers their ids. */
export async function copySignal(
  em: EntityManager,
  id: string,
  count: number,
  workflowStartedAt = 'workflow_started_at',
): Promise<string[]> {
  const columns = await em.execute<{ name: string }[]>(
    `select column_name as name from information_schema.columns
     where table_name = 'signals' and column_name not in ('id', 'sequence', 'workflow_started_at')`,
  )
  const names = columns.map(({ name }) => name).join(', ')
  const copies = await em.execute<{ id: string }[]>(
    `insert into signals (id, workflow_started_at, ${names}) select gen_random_uuid(), ${workflowStartedAt}, ${names}
     from signals, generate_series(1, ?) where id = ? returning id`,
    [count, id],
  )
  return copies.map((copy) => copy.id)
}

/** A closed trade of an account: 10 AAPL bought at 100 dollars and sold again. Answers its id. */
export async function createTrade(
  em: EntityManager,
  { accountId, ...fields }: { accountId: string } & Partial<TradeFields>,
): Promise<string> {
  const { id, status, realisedPnl, exitAt, strategyId, signalId, symbol, side }: TradeFields = {
    id: randomUUID(),
    status: 'CLOSED',
    realisedPnl: '12.5',
    exitAt: new Date(),
    strategyId: null,
    signalId: null,
    symbol: 'AAPL',
    side: 'LONG',
    ...fields,
  }
  const isClosed = status === 'CLOSED'
  await em.execute(
    `insert into trades (id, user_id, account_id, symbol, side, status, quantity, entry_price, exit_price, entry_at,
       exit_at, realised_pnl, realised_pnl_percent, fees, strategy_id, signal_id, entry_order_ids,
       exit_order_ids)
     select ?, user_id, id, ?, ?, ?, 10, 100, ?, ?::timestamptz - interval '1 hour', ?, ?, 0, 0, ?, ?, '{}', '{}'
     from accounts where id = ?`,
    [
      id,
      symbol,
      side,
      status,
      isClosed ? '101' : null,
      exitAt,
      isClosed ? exitAt : null,
      realisedPnl,
      strategyId,
      signalId,
      accountId,
    ],
    'run',
  )
  return id
}

interface TradeFields {
  id: string
  status: 'OPEN' | 'CLOSED'
  /** Dollars; null while it is open. */
  realisedPnl: Decimal | null
  exitAt: Date
  strategyId: string | null
  signalId: string | null
  symbol: string
  side: 'LONG' | 'SHORT'
}

/** What a broker reports of a signal's order that it has just accepted and that nothing has been filled of. */
export function orderReport(
  signal: Pick<Signal, 'id'>,
  fields: Partial<OrderReport> & { role?: OrderRole; generation?: number } = {},
): OrderReport {
  const { role = 'entry', generation = 1, ...report } = fields
  const clientOrderId = clientOrderIdFor(signal.id, role === 'exit' ? 'timed' : role, generation)
  return {
    brokerOrderId: `broker-${clientOrderId}`,
    clientOrderId,
    symbol: 'AAPL',
    side: role === 'entry' ? 'BUY' : 'SELL',
    quantity: '10',
    orderType: 'market',
    limitPrice: null,
    stopPrice: null,
    timeInForce: 'day',
    extendedHours: false,
    status: 'OPEN',
    filledQuantity: '0',
    avgFillPrice: null,
    reason: null,
    submittedAt: '2026-03-02T15:00:00.000Z',
    filledAt: null,
    endedAt: null,
    ...report,
  }
}

/** The same order with that much of it filled, at 100 dollars a share. */
export const withFill = (report: OrderReport, filledQuantity: Decimal): OrderReport => ({
  ...report,
  status: filledQuantity === report.quantity ? 'FILLED' : 'PARTIALLY_FILLED',
  filledQuantity,
  avgFillPrice: '100',
  filledAt: '2026-03-02T15:00:01.000Z',
})

const stamps = () => ({ createdAt: new Date(), updatedAt: new Date() })

type Storable =
  typeof User | typeof BrokerConnection | typeof Account | typeof Position | typeof Strategy | typeof Signal

async function store<Row extends object>(em: EntityManager, entity: Storable, row: Row): Promise<Row> {
  await em.fork().insert<object>(entity, row)
  return row
}
