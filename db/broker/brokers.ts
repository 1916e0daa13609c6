import { randomUUID } from 'node:crypto'
import { saveAccountSnapshot, type AccountSnapshot } from '../account/sync.ts'
import type { EntityManager } from '../engine/database.ts'
import { Account, BrokerConnection } from '../entities/index.ts'
import { newestFirst, sliceOf, type Page, type Slice } from '../engine/page.ts'
import { lockUser } from '../identity/users.ts'
import { MAX_CONNECTIONS } from '#domain/account/broker-types.ts'

export interface ConnectedBroker {
  connection: BrokerConnection
  accounts: Account[]
}

export const BROKER_ORDER = newestFirst('created_at')

export async function listBrokers(
  em: EntityManager,
  userId: string,
  page: Page,
): Promise<Slice<ConnectedBroker>> {
  const slice = await sliceOf(em, BrokerConnection, { userId, deletedAt: null }, BROKER_ORDER, page)
  const ids = slice.items.map(({ id }) => id)
  const accounts =
    ids.length === 0 ? [] : await em.find(Account, { userId, brokerId: { $in: ids } }, OLDEST_FIRST)
  return {
    ...slice,
    items: slice.items.map((connection) => ({
      connection,
      accounts: accounts.filter(({ brokerId }) => brokerId === connection.id),
    })),
  }
}

export async function findBroker(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<ConnectedBroker | null> {
  const connection = await em.findOne(BrokerConnection, { id, userId, deletedAt: null }, { refresh: true })
  if (!connection) return null
  return { connection, accounts: await em.find(Account, { userId, brokerId: id }, OLDEST_FIRST) }
}

export interface NewBroker {
  userId: string
  brokerType: string
  baseUrl: string
  isDemo: boolean
  name: string
  seal(brokerId: string): string
  brokerAccountId: string
  snapshot: AccountSnapshot
  mayShare: boolean
}

/** A removed account regains its history. shared: another user follows it, without `mayShare`. */
export async function connectAccount(
  em: EntityManager,
  wanted: NewBroker,
): Promise<{ outcome: 'connected' | 'taken'; brokerId: string } | { outcome: 'too_many' | 'shared' }> {
  return em.transactional(async (inner) => {
    const { userId } = wanted
    // The second of two requests sees what the first stored.
    await lockUser(inner, userId)
    await lockBrokerAccount(inner, wanted)
    const known = await findKnownAccount(inner, wanted)
    if (known && !known.isRemoved) return { outcome: 'taken', brokerId: known.brokerId }
    if (!wanted.mayShare && (await isFollowedByOthers(inner, wanted))) return { outcome: 'shared' }
    const count = await inner.count(BrokerConnection, { userId, deletedAt: null })
    if (count >= MAX_CONNECTIONS) return { outcome: 'too_many' }
    const { brokerId, accountId } = known ? await revive(inner, wanted, known) : await insert(inner, wanted)
    await choosePrimary(inner, userId)
    await saveAccountSnapshot(inner, { accountId, userId }, wanted.snapshot)
    return { outcome: 'connected', brokerId }
  })
}

export async function changeBroker(
  em: EntityManager,
  userId: string,
  id: string,
  { name, sealedCredentials }: { name?: string; sealedCredentials?: string },
): Promise<void> {
  const updatedAt = new Date()
  if (name !== undefined) {
    await em.nativeUpdate(BrokerConnection, { id, userId, deletedAt: null }, { name, updatedAt })
    await em.nativeUpdate(Account, { brokerId: id, userId }, { name, updatedAt })
  }
  const health = {
    status: 'connected',
    statusDetail: null,
    failingSince: null,
    lastCheckedAt: updatedAt,
  } as const
  if (sealedCredentials !== undefined)
    await em.nativeUpdate(
      BrokerConnection,
      { id, userId, deletedAt: null },
      { sealedCredentials, ...health, updatedAt },
    )
}

export async function choosePrimary(em: EntityManager, userId: string): Promise<void> {
  await em.execute(
    `update accounts set is_primary = true, updated_at = now()
     where id = (select id from accounts where user_id = ? and is_active order by created_at, id limit 1)
       and not exists (select from accounts where user_id = ? and is_primary)`,
    [userId, userId],
  )
}

const OLDEST_FIRST = { orderBy: { createdAt: 'asc', id: 'asc' } } as const

interface KnownAccount {
  brokerId: string
  accountId: string
  isRemoved: boolean
}

async function findKnownAccount(
  em: EntityManager,
  { userId, brokerType, baseUrl, brokerAccountId }: NewBroker,
): Promise<KnownAccount | null> {
  const [row] = await em.execute<KnownAccount[]>(
    `select b.id as "brokerId", a.id as "accountId", b.deleted_at is not null as "isRemoved"
     from accounts a join broker_connections b on b.id = a.broker_id
     where a.user_id = ? and b.broker_type = ? and b.base_url = ? and a.broker_account_id = ?
     order by b.deleted_at is null desc, b.deleted_at desc limit 1`,
    [userId, brokerType, baseUrl, brokerAccountId],
  )
  return row ?? null
}

async function lockBrokerAccount(
  em: EntityManager,
  { brokerType, baseUrl, brokerAccountId }: NewBroker,
): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
    `connect ${brokerType} ${baseUrl} ${brokerAccountId}`,
  ])
}

async function isFollowedByOthers(
  em: EntityManager,
  { userId, brokerType, baseUrl, brokerAccountId }: NewBroker,
): Promise<boolean> {
  const [row] = await em.execute<{ isShared: boolean }[]>(
    'select account_is_shared(?, ?, ?, ?) as "isShared"',
    [userId, brokerType, baseUrl, brokerAccountId],
  )
  return row!.isShared
}

const connectedAt = (now: Date) =>
  ({
    status: 'connected',
    statusDetail: null,
    lastCheckedAt: now,
    failingSince: null,
    unansweredSince: null,
    deletedAt: null,
    updatedAt: now,
  }) as const

async function insert(
  em: EntityManager,
  { userId, brokerType, baseUrl, isDemo, name, seal, brokerAccountId, snapshot }: NewBroker,
): Promise<{ brokerId: string; accountId: string }> {
  const [brokerId, accountId] = [randomUUID(), randomUUID()]
  const now = new Date()
  await em.insert(BrokerConnection, {
    id: brokerId,
    userId,
    brokerType,
    name,
    baseUrl,
    sealedCredentials: seal(brokerId),
    createdAt: now,
    ...connectedAt(now),
  })
  const { type, currency, equity, cashBalance, buyingPower, dayTradingBuyingPower, marketValue } = snapshot
  await em.insert(Account, {
    id: accountId,
    userId,
    brokerId,
    brokerAccountId,
    name,
    type,
    currency,
    equity,
    cashBalance,
    buyingPower,
    dayTradingBuyingPower,
    marketValue,
    unrealisedPnl: '0',
    realisedPnl: '0',
    isActive: true,
    isDemo,
    isPrimary: false,
    lastSyncedAt: null,
    equityRecord: null,
    createdAt: now,
    updatedAt: now,
  })
  return { brokerId, accountId }
}

async function revive(
  em: EntityManager,
  { userId, name, seal }: NewBroker,
  { brokerId, accountId }: KnownAccount,
): Promise<{ brokerId: string; accountId: string }> {
  const now = new Date()
  await em.nativeUpdate(
    BrokerConnection,
    { id: brokerId, userId },
    { name, sealedCredentials: seal(brokerId), ...connectedAt(now) },
  )
  await em.nativeUpdate(Account, { id: accountId, userId }, { name, isActive: true, updatedAt: now })
  return { brokerId, accountId }
}
