import { fillsAtOnce, parseClientOrderId, type OrderRequest } from '#domain/order/order.ts'

/** Milliseconds that a market entry waits for its fill: one record then has both. */
const FILL_WITHIN = 50

interface Expected {
  /** Resolves when the ledger has the fill, or after {@link FILL_WITHIN}. */
  comes(): Promise<void>
  end(): void
}

/**
 * Lets the sender of an entry wait until the feed has put its fill into the ledger. This only saves a workflow task:
 * otherwise the acceptance is recorded first, and the feed announces the fill.
 */
export class HeardFills {
  readonly #followed = new Set<string>()
  readonly #expected = new Map<string, () => void>()

  follow(accountId: string, isFollowed: boolean): void {
    if (isFollowed) this.#followed.add(accountId)
    else this.#followed.delete(accountId)
  }

  /** Null where no fill is expected at once, or this process would not receive it. */
  expect(accountId: string, { clientOrderId, ...request }: OrderRequest): Expected | null {
    const isEntry = parseClientOrderId(clientOrderId)?.role === 'entry'
    if (!isEntry || !this.#followed.has(accountId) || !fillsAtOnce(request)) return null
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#expected.set(clientOrderId, resolve)
    let timer: NodeJS.Timeout | undefined
    return {
      comes() {
        timer = setTimeout(resolve, FILL_WITHIN)
        return promise
      },
      end: () => {
        clearTimeout(timer)
        if (this.#expected.get(clientOrderId) === resolve) this.#expected.delete(clientOrderId)
      },
    }
  }

  tell(clientOrderId: string): void {
    this.#expected.get(clientOrderId)?.()
  }
}
