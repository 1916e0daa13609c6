import type { BrokerAccount, BrokerPosition } from '#brokers/port.ts'
import { describeBrokerType, type BrokerType, MAX_CONNECTIONS } from '#domain/account/broker-types.ts'
import { openCredentials, sealCredentials } from '#db/broker/credentials.ts'
import { removeBroker, type BrokerUse } from '#db/broker/removal.ts'
import {
  changeBroker,
  connectAccount,
  findBroker,
  type ConnectedBroker,
  listBrokers,
} from '#db/broker/brokers.ts'
import { recordConnectionHealth, type ConnectionHealth } from '#db/broker/connection-health.ts'
import { askBroker, type BrokerAccess } from './asked.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { checkCredentials, demoOrLive } from '#contract/broker/shapes.ts'
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { SecretUnreadable } from '#db/broker/secret-box.ts'

export interface BrokerManagement extends BrokerAccess {
  /** Callers never name the paper venue's address. */
  venueUrl: string
  /** Null where paper accounts are not configured. */
  venueControlSecret: string | null
}

export interface WantedBroker {
  brokerType: string
  name?: string | undefined
  isDemo?: boolean | undefined
  credentials: Record<string, string>
  mayShare?: boolean | undefined
}

/**
 * Asks the broker before storing. Throws VALIDATION_ERROR, BROKER_CREDENTIALS_INVALID, BROKER_ERROR,
 * ACCOUNT_ALREADY_CONNECTED, ACCOUNT_SHARED, BROKER_LIMIT_REACHED.
 */
export async function makeConnection(
  deps: BrokerManagement,
  caller: Caller,
  wanted: WantedBroker,
): Promise<ConnectedBroker> {
  const { broker, isNew } = await connectOnce(deps, caller, wanted)
  if (!isNew) throw new ApiError('ACCOUNT_ALREADY_CONNECTED')
  return broker
}

async function connectOnce(
  deps: BrokerManagement,
  caller: Caller,
  { brokerType, name, isDemo, credentials, mayShare = false }: WantedBroker,
): Promise<{ broker: ConnectedBroker; isNew: boolean }> {
  const type = describeBrokerType(brokerType)
  checkCredentials(type, credentials)
  const kind = demoOrLive(type, isDemo)
  const baseUrl = addressOf(deps, type, kind)
  const { account, positions } = await askForAccount(deps, { brokerType, baseUrl }, credentials)
  const { userId } = caller.principal
  const connecting = caller.em.transactional(async (em) => {
    const connected = await connectAccount(em, {
      userId,
      brokerType,
      baseUrl,
      isDemo: kind === 'demo',
      name: name ?? type.name,
      seal: (brokerId) => sealCredentials(deps.secretKeys, { brokerId, userId }, credentials),
      brokerAccountId: account.brokerAccountId,
      snapshot: { ...account, positions },
      mayShare,
    })
    if (!('brokerId' in connected))
      throw new ApiError(connected.outcome === 'shared' ? 'ACCOUNT_SHARED' : 'BROKER_LIMIT_REACHED')
    const { brokerId } = connected
    const isNew = connected.outcome === 'connected'
    if (isNew)
      await auditTrading(em, caller, 'broker.connected', { brokerId, brokerType, isDemo: kind === 'demo' })
    return { broker: (await findBroker(em, userId, brokerId))!, isNew }
  })
  return caller.beforeDatabaseDeadline(connecting)
}

/**
 * New keys must belong to the same account. Throws VALIDATION_ERROR, BROKER_CREDENTIALS_INVALID, BROKER_ERROR,
 * BROKER_ACCOUNT_CHANGED.
 */
export async function changeConnection(
  deps: BrokerManagement,
  caller: Caller,
  { connection, accounts }: ConnectedBroker,
  { name, credentials }: { name?: string | undefined; credentials?: Record<string, string> | undefined },
): Promise<ConnectedBroker> {
  const { id: brokerId, userId } = connection
  if (credentials !== undefined) {
    checkCredentials(describeBrokerType(connection.brokerType), credentials)
    const { account } = await askForAccount(deps, connection, credentials)
    if (accounts.some(({ brokerAccountId }) => brokerAccountId !== account.brokerAccountId))
      throw new ApiError('BROKER_ACCOUNT_CHANGED')
  }
  const changing = caller.em.transactional(async (em) => {
    await changeBroker(em, userId, brokerId, {
      ...(name !== undefined && { name }),
      ...(credentials && {
        sealedCredentials: sealCredentials(deps.secretKeys, { brokerId, userId }, credentials),
      }),
    })
    if (name !== undefined) await auditTrading(em, caller, 'broker.renamed', { brokerId, name })
    if (credentials) await auditTrading(em, caller, 'broker.keys_replaced', { brokerId })
    return findBroker(em, userId, brokerId)
  })
  const changed = await caller.beforeDatabaseDeadline(changing)
  if (!changed) throw new ApiError('BROKER_NOT_FOUND')
  return changed
}

/** Stores the outcome. Throws BROKER_CREDENTIALS_INVALID, BROKER_ERROR. */
export async function testConnection(
  deps: BrokerManagement,
  caller: Caller,
  { connection }: ConnectedBroker,
): Promise<ConnectedBroker> {
  const { em } = caller
  const { id: brokerId, userId } = connection
  const tell = (health: ConnectionHealth) =>
    caller.beforeDatabaseDeadline(recordConnectionHealth(em, brokerId, health))
  try {
    const sealedCredentials = connection.sealedCredentials ?? null
    const credentials = openCredentials(deps.secretKeys, { brokerId, userId, sealedCredentials })
    await askForAccount(deps, connection, credentials)
    await tell({ found: 'answering' })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'BROKER_CREDENTIALS_INVALID')
      await tell({ found: 'rejected', detail: wordsOf(error) })
    if (error instanceof ApiError && error.code === 'BROKER_ERROR')
      await tell({ found: 'silent', detail: wordsOf(error) })
    throw error
  }
  const tested = await caller.beforeDatabaseDeadline(findBroker(em, userId, brokerId))
  if (!tested) throw new ApiError('BROKER_NOT_FOUND')
  return tested
}

/** Throws BROKER_IN_USE and BROKER_NOT_FOUND. */
export async function removeConnection(caller: Caller, { connection }: ConnectedBroker): Promise<void> {
  const { id: brokerId, userId, brokerType } = connection
  const removing = caller.em.transactional(async (em) => {
    const outcome = await removeBroker(em, userId, brokerId)
    if (outcome === 'absent') throw new ApiError('BROKER_NOT_FOUND')
    if (outcome !== 'removed') throw new ApiError('BROKER_IN_USE', { message: describeUse(outcome) })
    await auditTrading(em, caller, 'broker.disconnected', { brokerId, brokerType })
  })
  await caller.beforeDatabaseDeadline(removing)
}

const addressOf = ({ venueUrl }: BrokerManagement, type: BrokerType, kind: 'demo' | 'live'): string =>
  (type.type === 'paper' ? venueUrl : type.baseUrls[kind]!).replace(/\/{1,9}$/, '')

const askForAccount = (
  { connectBroker, brokerTimeout }: BrokerManagement,
  { brokerType, baseUrl, id: connectionId }: { brokerType: string; baseUrl: string; id?: string },
  credentials: Record<string, string>,
): Promise<{ account: BrokerAccount; positions: BrokerPosition[] }> =>
  askBroker(async () => {
    const broker = connectBroker({
      brokerType,
      baseUrl,
      credentials,
      requestTimeoutMs: brokerTimeout,
      ...(connectionId !== undefined && { connectionId }),
    })
    const [account, positions] = await Promise.all([broker.getAccount(), broker.listPositions()])
    return { account, positions }
  })

const wordsOf = ({ cause, message }: ApiError): string => (cause instanceof Error ? cause.message : message)

function describeUse({ signals, orders, positions }: BrokerUse): string {
  const parts = [
    [signals, 'signals wait or have an exit to come: withdraw them'],
    [orders, 'orders work: cancel them'],
    [positions, 'positions are open: close them'],
  ] as const
  const words = parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
  return `The connection is in use (${words.join('; ')}), and can be removed afterwards`
}

const CASH = '100000'
const opened = z.object({ keyId: z.string() })

/**
 * Keys follow from user and number, so that a repetition finds the same account; a removed one gets new keys. Throws
 * PAPER_ACCOUNTS_NOT_OFFERED, BROKER_ERROR, and as {@link connectOnce}.
 */
export async function openPaperAccount(
  deps: BrokerManagement,
  caller: Caller,
  number: number,
): Promise<{ broker: ConnectedBroker; isNew: boolean }> {
  const { venueControlSecret: secret } = deps
  if (secret === null) throw new ApiError('PAPER_ACCOUNTS_NOT_OFFERED')
  const place = number === 1 ? '' : `-${number}`
  const keyId = `user-${caller.principal.userId}${place}`
  const existing = await findConnected(deps, caller, keyId)
  if (existing) return { broker: existing, isNew: false }
  const credentials = { keyId, secretKey: createHmac('sha256', secret).update(keyId).digest('base64url') }
  await openAtVenue(deps, secret, credentials)
  return connectOnce(deps, caller, {
    brokerType: 'paper',
    name: number === 1 ? 'Paper account' : `Paper account ${number}`,
    credentials,
  })
}

async function findConnected(
  { secretKeys }: BrokerManagement,
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  keyId: string,
): Promise<ConnectedBroker | undefined> {
  const { items } = await inTime(listBrokers(em, principal.userId, { limit: MAX_CONNECTIONS, offset: 0 }))
  return items.find(({ connection }) => {
    if (connection.brokerType !== 'paper') return false
    const { id: brokerId, userId, sealedCredentials = null } = connection
    try {
      return openCredentials(secretKeys, { brokerId, userId, sealedCredentials })['keyId'] === keyId
    } catch (error) {
      if (error instanceof SecretUnreadable) return false
      throw error
    }
  })
}

async function openAtVenue(
  { venueUrl, brokerTimeout }: BrokerManagement,
  secret: string,
  credentials: { keyId: string; secretKey: string },
): Promise<void> {
  try {
    const answer = await fetch(new URL('/venue/accounts', venueUrl), {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...credentials, cash: CASH }),
      signal: AbortSignal.timeout(brokerTimeout),
      redirect: 'error',
    })
    if (!answer.ok) throw new Error(`it answered with status ${answer.status}`)
    opened.parse(await answer.json())
  } catch (error) {
    const message = `The paper venue has opened no account (${(error as Error).message})`
    throw new ApiError('BROKER_ERROR', { message, cause: error })
  }
}
