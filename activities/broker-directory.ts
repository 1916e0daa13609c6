import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import type { EntityManager } from '#db/database.ts'
import { findAccountConnection } from '#db/account-sync.ts'

/** How long a connection's settings are trusted before they are read again, in milliseconds. */
const FRESH_FOR = 30_000

/**
 * The broker behind each account. Credentials are read here, inside the worker, and never travel through a
 * workflow's history.
 */
export class BrokerDirectory {
  readonly #em: EntityManager
  readonly #connect: (settings: BrokerConnectionSettings) => Broker
  readonly #requestTimeoutMs: number
  readonly #known = new Map<string, { broker: Broker; fingerprint: string; readAt: number }>()

  constructor(
    em: EntityManager,
    connect: (settings: BrokerConnectionSettings) => Broker,
    requestTimeoutMs: number,
  ) {
    this.#em = em
    this.#connect = connect
    this.#requestTimeoutMs = requestTimeoutMs
  }

  /** @throws UnknownAccount when the account does not exist (any more). */
  async forAccount(accountId: string): Promise<Broker> {
    const known = this.#known.get(accountId)
    if (known && Date.now() - known.readAt < FRESH_FOR) return known.broker
    const connection = await findAccountConnection(this.#em, accountId)
    if (!connection) throw new UnknownAccount(`there is no account ${accountId}`)
    const settings = {
      brokerType: connection.brokerType,
      baseUrl: connection.baseUrl,
      credentials: connection.credentials,
      requestTimeoutMs: this.#requestTimeoutMs,
    }
    const fingerprint = JSON.stringify(settings)
    const broker = known?.fingerprint === fingerprint ? known.broker : this.#connect(settings)
    this.#known.set(accountId, { broker, fingerprint, readAt: Date.now() })
    return broker
  }

  /** Reads the account's connection anew at the next use: its keys were refused. */
  forget(accountId: string): void {
    this.#known.delete(accountId)
  }
}

export class UnknownAccount extends Error {
  override readonly name = 'UnknownAccount'
}
