import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { ConnectedBroker } from '#db/brokers/brokers.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { connectOnce, type BrokerManagement } from './commands.ts'

/** Dollars with which a paper account is opened. */
const CASH = '100000'
const opened = z.object({ keyId: z.string() })

/**
 * Opens the caller's own account at the paper venue of this service and connects it; one that is there is answered
 * again. Its keys follow from the user, so that whoever asks twice, or loses the answer, has one account. Throws
 * {@link ApiError} PAPER_ACCOUNTS_NOT_OFFERED, BROKER_ERROR, and those of a connection that is made.
 */
export async function openPaperAccount(
  deps: BrokerManagement,
  caller: Caller,
): Promise<{ broker: ConnectedBroker; isNew: boolean }> {
  const { venueControlSecret: secret } = deps
  if (secret === null) throw new ApiError('PAPER_ACCOUNTS_NOT_OFFERED')
  const keyId = `user-${caller.principal.userId}`
  const credentials = { keyId, secretKey: createHmac('sha256', secret).update(keyId).digest('base64url') }
  await openAtVenue(deps, secret, credentials)
  return connectOnce(deps, caller, { brokerType: 'paper', name: 'Paper account', credentials })
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
