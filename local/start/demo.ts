import { DEMO_TOKEN } from '#domain/account/demo.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { hashAccessToken, mintAccessToken } from '#api/http/access-token.ts'
import { SCOPES, aYearFrom } from '#domain/risk/token-bounds.ts'
import { hashPassword } from '#api/identity/password-hash.ts'
import { connectBroker } from '#brokers/registry.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { openDatabase, type EntityManager } from '#db/engine/database.ts'
import { AccessToken, Account, BrokerConnection, User } from '#db/entities/index.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { readJson, writePrivateJson } from './secrets.ts'

export type DemoCredentials = {
  email: string
  /** Null if the file with it is lost, as after a restoration: the password is unchanged. */
  password: string | null
  token: string
  accountId: string
  /** Address ending in /api/v1. */
  apiUrl: string
  webUrl: string
  temporalUiUrl: string
  venueUrl: string
  venueKeyId: string
  venueSecretKey: string
  /** Bearer token of the venue's control API. */
  venueControlSecret: string
  /** PORT_BASE of the last start, which later ones keep; undefined: never set. */
  portBase?: number | undefined
}

export type DemoOptions = {
  databaseUrl: string
  secretKeys: EncryptionKeys
  credentialsFile: string
  addresses: Pick<DemoCredentials, 'apiUrl' | 'webUrl' | 'temporalUiUrl' | 'venueUrl' | 'portBase'>
  venueKeys: Pick<DemoCredentials, 'venueKeyId' | 'venueSecretKey' | 'venueControlSecret'>
  /** Default: the demo user's. */
  email?: string
}

const EMAIL = 'demo@durable-trader.local'

/**
 * Creates a demo user (PRO) with a paper account and a token with every scope, if absent. The file has the secrets
 * first, so that an interrupted start neither loses them nor creates others.
 */
export async function ensureDemo(
  options: DemoOptions,
): Promise<{ credentials: DemoCredentials; isNew: boolean }> {
  const kept = readJson<DemoCredentials>(options.credentialsFile)
  const database = await openDatabase(options.databaseUrl, 2)
  try {
    const em = database.em.fork()
    const { email = EMAIL } = options
    const userId = await ensureUser(em, email)
    const hasPassword = (await em.findOneOrFail(User, { id: userId })).passwordHash !== null
    const credentials: DemoCredentials = {
      email,
      // A current password that is unknown here, as after a restoration, stays: another text would be false.
      password: kept?.password ?? (hasPassword ? null : randomBytes(15).toString('base64url')),
      token: kept?.token ?? mintAccessToken().token,
      accountId: kept?.accountId ?? (await findPrimaryAccount(em, userId)) ?? randomUUID(),
      ...options.addresses,
      ...options.venueKeys,
    }
    writePrivateJson(options.credentialsFile, credentials)
    // A password that its owner has set meanwhile stays.
    if (!hasPassword && credentials.password !== null)
      await em.nativeUpdate(User, { id: userId }, { passwordHash: await hashPassword(credentials.password) })
    await ensureToken(em, userId, credentials.token)
    await ensureAccount(em, options.secretKeys, userId, {
      accountId: credentials.accountId,
      name: 'Paper',
      venueUrl: credentials.venueUrl,
      keyId: credentials.venueKeyId,
      secretKey: credentials.venueSecretKey,
    })
    return { credentials, isNew: kept === undefined }
  } finally {
    await database.close(true)
  }
}

/** Account of an earlier start whose credentials file was removed. */
async function findPrimaryAccount(em: EntityManager, userId: string): Promise<string | undefined> {
  return (await em.findOne(Account, { userId, isPrimary: true }))?.id
}

async function ensureUser(em: EntityManager, email: string): Promise<string> {
  const existing = await em.findOne(User, { email })
  if (existing) return existing.id
  const id = randomUUID()
  await em.insert(User, {
    id,
    email,
    role: 'admin',
    plan: 'PRO',
    passwordHash: null,
    tradingMode: 'PAPER',
    disabledAt: null,
    createdAt: new Date(),
    updatedAt: new Date(),
  })
  return id
}

/** Stores a missing token; one that its owner has revoked stays revoked. */
async function ensureToken(em: EntityManager, userId: string, token: string): Promise<void> {
  const hash = hashAccessToken(token)
  if (await em.findOne(AccessToken, { hash })) return
  await em.insert(AccessToken, {
    id: randomUUID(),
    userId,
    label: DEMO_TOKEN,
    hash,
    prefix: token.slice(0, 8),
    scopes: [...SCOPES],
    expiresAt: aYearFrom(new Date()),
    revokedAt: null,
    lastUsedAt: null,
    createdAt: new Date(),
  })
}

type PaperAccount = {
  accountId: string
  name: string
  venueUrl: string
  keyId: string
  secretKey: string
}

/** Connects the account to the venue, or updates the venue's address in an existing connection. */
async function ensureAccount(
  em: EntityManager,
  secretKeys: EncryptionKeys,
  userId: string,
  { accountId, name, venueUrl, ...keys }: PaperAccount,
): Promise<void> {
  const connection = { brokerType: 'paper', baseUrl: venueUrl }
  const broker = connectBroker({ ...connection, credentials: keys, requestTimeoutMs: 5_000 })
  const [held, positions] = await Promise.all([broker.getAccount(), broker.listPositions()])

  const existing = await em.findOne(Account, { id: accountId, userId })
  // A connection that its owner has disconnected stays disconnected.
  if (existing?.isActive === false) return
  const sealed = (brokerId: string) => ({
    sealedCredentials: sealCredentials(secretKeys, { brokerId, userId }, keys),
  })
  if (existing) {
    const { brokerId } = existing
    await em.nativeUpdate(
      BrokerConnection,
      { id: brokerId },
      { ...connection, ...sealed(brokerId), updatedAt: new Date() },
    )
  } else
    await em.transactional(async (inner) => {
      const isFirst = (await inner.count(Account, { userId, isPrimary: true })) === 0
      const brokerId = randomUUID()
      const now = new Date()
      await inner.insert(BrokerConnection, {
        id: brokerId,
        userId,
        name: `${name} venue`,
        ...connection,
        ...sealed(brokerId),
        status: 'connected',
        statusDetail: null,
        lastCheckedAt: now,
        failingSince: null,
        deletedAt: null,
        createdAt: now,
        updatedAt: now,
      })
      await inner.insert(Account, {
        id: accountId,
        userId,
        brokerId,
        brokerAccountId: held.brokerAccountId,
        name: `${name} account`,
        type: held.type,
        currency: held.currency,
        equity: held.equity,
        cashBalance: held.cashBalance,
        buyingPower: held.buyingPower,
        dayTradingBuyingPower: held.dayTradingBuyingPower,
        marketValue: held.marketValue,
        unrealisedPnl: '0',
        realisedPnl: '0',
        isActive: true,
        isDemo: true,
        isPrimary: isFirst,
        lastSyncedAt: null,
        createdAt: now,
        updatedAt: now,
      })
    })
  await saveAccountSnapshot(em, { accountId, userId }, { ...held, positions })
}
