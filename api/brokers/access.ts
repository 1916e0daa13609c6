import {
  BrokerBudgetSpent,
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerPricesUnavailable,
  type Broker,
  type BrokerConnectionSettings,
  type RequestClass,
} from '#brokers/port.ts'
import type { AccountConnection } from '#db/accounts/sync.ts'
import { openCredentials } from '#db/brokers/credentials.ts'
import type { EncryptionKeys } from '#db/brokers/secret-box.ts'
import { ApiError } from '#contract/errors.ts'

export interface BrokerAccess {
  connectBroker(settings: BrokerConnectionSettings): Broker
  secretKeys: EncryptionKeys
  /** Milliseconds for one broker request. */
  brokerTimeout: number
  requestClass?: RequestClass
}

export const connectTo = (access: BrokerAccess, connection: AccountConnection): Broker =>
  access.connectBroker({
    brokerType: connection.brokerType,
    baseUrl: connection.baseUrl,
    credentials: openCredentials(access.secretKeys, connection),
    requestTimeoutMs: access.brokerTimeout,
    connectionId: connection.brokerId,
    requestClass: access.requestClass ?? 'show',
  })

/** Throws {@link ApiError} BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT and BROKER_ERROR for what goes wrong at the broker. */
export async function askBroker<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof BrokerCredentialsError)
      throw new ApiError('BROKER_CREDENTIALS_INVALID', { message: error.message, cause: error })
    if (error instanceof BrokerBudgetSpent) {
      const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000))
      throw new ApiError('BROKER_SHARE_SPENT', { headers: { 'Retry-After': String(seconds) }, cause: error })
    }
    if (
      error instanceof BrokerBusy ||
      error instanceof BrokerOutcomeUnknown ||
      error instanceof BrokerPricesUnavailable
    )
      throw new ApiError('BROKER_ERROR', { message: error.message, cause: error })
    throw error
  }
}
