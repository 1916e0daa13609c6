import type { AccountConnection } from '#db/accounts/sync.ts'
import { connectTo, type BrokerAccess } from '../brokers/access.ts'
import { Upstream, type LiveQuote, type QuoteListener, type UpstreamTimes } from '#brokers/upstream.ts'

export interface Following {
  /** False where the connection has got other keys since: follow it anew. */
  isOf(connection: AccountConnection): boolean
  change(symbols: readonly string[]): void
  end(): void
}

/** One upstream for each connection that somebody follows, from the first follower to the last one. */
export class QuoteHub {
  readonly #access: BrokerAccess
  readonly #times: Partial<UpstreamTimes>
  readonly #upstreams = new Map<string, Upstream>()

  /** Every request of `access` counts as one beside trading. */
  constructor(access: BrokerAccess, times: Partial<UpstreamTimes> = {}) {
    this.#access = access
    this.#times = times
  }

  follow(connection: AccountConnection, symbols: readonly string[], listener: QuoteListener): Following {
    const { brokerId, sealedCredentials } = connection
    const key = `${brokerId} ${sealedCredentials}`
    const upstream =
      this.#upstreams.get(key) ?? new Upstream(connectTo(this.#access, connection), this.#times)
    this.#upstreams.set(key, upstream)
    const follower = upstream.join(symbols, listener)
    return {
      isOf: (other) => other.brokerId === brokerId && other.sealedCredentials === sealedCredentials,
      change: (changed) => upstream.change(follower, changed),
      end: () => {
        if (upstream.leave(follower) === 0) this.#upstreams.delete(key)
      },
    }
  }

  /** Of this moment, or at most as old as prices that are asked for; null without one. */
  known({ brokerId, sealedCredentials }: AccountConnection, symbol: string): LiveQuote | null {
    return this.#upstreams.get(`${brokerId} ${sealedCredentials}`)?.known(symbol) ?? null
  }
}
