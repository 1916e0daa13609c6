import { createSlots, type Slots } from '#domain/slots.ts'

const ORDERS_AT_ONCE = 4

/** The fill of an exit must not wait for earlier reports of other orders. */
export class OrderLanes {
  readonly #ofAccount = createSlots(ORDERS_AT_ONCE, Number.POSITIVE_INFINITY)
  readonly #ofProcess: Slots
  readonly #lanes = new Map<string, Promise<void>>()

  /** `ofProcess` is shared; an account has few places in its line, so a burst holds up no other. */
  constructor(ofProcess: Slots) {
    this.#ofProcess = ofProcess
  }

  add(clientOrderId: string, work: () => Promise<void>): void {
    const before = this.#lanes.get(clientOrderId) ?? Promise.resolve()
    const done = before.then(() => this.#ofAccount.run(() => this.#ofProcess.run(work)))
    this.#lanes.set(clientOrderId, done)
    void done.finally(() => {
      if (this.#lanes.get(clientOrderId) === done) this.#lanes.delete(clientOrderId)
    })
  }

  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values())
  }
}

/** Each report takes a connection to the database, and orders that are being sent need theirs. */
export const reportSlots = (connections: number): Slots =>
  createSlots(Math.max(1, Math.floor(connections / 2)), Number.POSITIVE_INFINITY)
