import type { Broker, BrokerConnectionSettings, RequestClass } from '#brokers/port.ts'
import { describeBrokerType, type BrokerType } from '#domain/broker-types.ts'
import { findAccountConnection, type AccountConnection } from '#db/accounts/sync.ts'
import { openCredentials } from '#db/brokers/credentials.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { EncryptionKeys } from '#db/brokers/secret-box.ts'

interface Known {
  broker: Broker
  brokerType: string
  fingerprint: string
  readAt: number
}

/** Milliseconds. */
const SETTINGS_FRESH_FOR_MS = 30_000

/** Credentials are opened here, inside the worker, and never travel through a workflow's history. */
export class BrokerDirectory {
  readonly #em: EntityManager
  readonly #secretKeys: EncryptionKeys
  readonly #connect: (settings: BrokerConnectionSettings) => Broker
  readonly #requestTimeoutMs: number
  readonly #requestClass: RequestClass
  readonly #known = new Map<string, Known>()

  constructor(
    em: EntityManager,
    secretKeys: EncryptionKeys,
    connect: (settings: BrokerConnectionSettings) => Broker,
    requestTimeoutMs: number,
    requestClass: RequestClass,
  ) {
    this.#em = em
    this.#secretKeys = secretKeys
    this.#connect = connect
    this.#requestTimeoutMs = requestTimeoutMs
    this.#requestClass = requestClass
  }

  /** @throws UnknownAccount when the account does not exist (any more) */
  async forAccount(accountId: string): Promise<Broker> {
    return (await this.#read(accountId)).broker
  }

  async typeOf(accountId: string): Promise<BrokerType> {
    return describeBrokerType((await this.#read(accountId)).brokerType)
  }

  async #read(accountId: string): Promise<Known> {
    const known = this.#known.get(accountId)
    if (known && Date.now() - known.readAt < SETTINGS_FRESH_FOR_MS) return known
    const connection = await findAccountConnection(this.#em, accountId)
    if (!connection) throw new UnknownAccount(`there is no account ${accountId}`)
    const fingerprint = JSON.stringify(connection)
    const broker = known?.fingerprint === fingerprint ? known.broker : this.#open(connection)
    const read = { broker, brokerType: connection.brokerType, fingerprint, readAt: Date.now() }
    this.#known.set(accountId, read)
    return read
  }

  #open(connection: AccountConnection): Broker {
    const { brokerType, baseUrl, brokerId: connectionId } = connection
    const credentials = openCredentials(this.#secretKeys, connection)
    const [requestTimeoutMs, requestClass] = [this.#requestTimeoutMs, this.#requestClass]
    return this.#connect({
      brokerType,
      baseUrl,
      credentials,
      requestTimeoutMs,
      connectionId,
      requestClass,
    })
  }

  /** Its keys were rejected: the next use reads the connection again. */
  forget(accountId: string): void {
    this.#known.delete(accountId)
  }
}

class UnknownAccount extends Error {
  override readonly name = 'UnknownAccount'
}
