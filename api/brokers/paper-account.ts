import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { listBrokers, type ConnectedBroker } from '#db/brokers/brokers.ts'
import { MAX_CONNECTIONS } from '#domain/broker-types.ts'
import { openCredentials } from '#db/brokers/credentials.ts'
import { SecretUnreadable } from '#db/brokers/secret-box.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { connectOnce, type BrokerManagement } from './commands.ts'

const CASH = '100000'
const opened = z.object({ keyId: z.string() })

/**
 * The keys follow from the user and the number, so that whoever asks twice has one account; one that was removed gets new keys at
 * the venue. Throws {@link ApiError} PAPER_ACCOUNTS_NOT_OFFERED, BROKER_ERROR, and as {@link connectOnce}.
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
