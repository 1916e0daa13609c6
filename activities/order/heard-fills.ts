import { fillsAtOnce, parseClientOrderId, type OrderRequest } from '#domain/order/order.ts'

/** Milliseconds for which an entry at market waits for its fill: most come within, and then one record tells of both. */
const FILL_WITHIN = 50

interface Expected {
  /** Resolves when the ledger has the fill, or after {@link FILL_WITHIN}. */
  comes(): Promise<void>
  end(): void
}

/**
 * Where the senders of entries meet the feed of their process: the feed has put the fill of an entry into the ledger. A hint that
 * saves a workflow task, and no more: without it the record of the acceptance comes first, and the feed announces the fill.
 */
export class HeardFills {
  readonly #followed = new Set<string>()
  readonly #expected = new Map<string, () => void>()

  /** Whether the order stream of the account is followed here now. */
  follow(accountId: string, isFollowed: boolean): void {
    if (isFollowed) this.#followed.add(accountId)
    else this.#followed.delete(accountId)
  }

  /** Before the order is sent; null where no fill is expected at once, or nobody here would hear of it. */
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
