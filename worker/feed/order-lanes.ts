import { createSlots, type Slots } from '#domain/slots.ts'

/** Orders of an account whose reports are applied at once. */
const ORDERS_AT_ONCE = 4

/**
 * Does the work on each order of an account in the order in which it was asked for, and that on several orders at once: the
 * fill of an exit is not to wait until everything that came before it for other orders is written and told.
 */
export class OrderLanes {
  readonly #ofAccount = createSlots(ORDERS_AT_ONCE, Number.POSITIVE_INFINITY)
  readonly #ofProcess: Slots
  /** The last work of each order that has some. */
  readonly #lanes = new Map<string, Promise<void>>()

  /**
   * @param ofProcess what all accounts of the process share. An account has a few places in its line, so that one with a
   *   burst holds up no other for long
   */
  constructor(ofProcess: Slots) {
    this.#ofProcess = ofProcess
  }

  /** @param work must not reject */
  add(clientOrderId: string, work: () => Promise<void>): void {
    const before = this.#lanes.get(clientOrderId) ?? Promise.resolve()
    const done = before.then(() => this.#ofAccount.run(() => this.#ofProcess.run(work)))
    this.#lanes.set(clientOrderId, done)
    void done.finally(() => {
      if (this.#lanes.get(clientOrderId) === done) this.#lanes.delete(clientOrderId)
    })
  }

  /** Resolves when all work is done. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values())
  }
}

/**
 * The bound of all accounts that a process follows: each report takes a connection to the database, and orders that are being
 * sent need theirs.
 *
 * @param connections of the process to the database
 */
export const reportSlots = (connections: number): Slots =>
  createSlots(Math.max(1, Math.floor(connections / 2)), Number.POSITIVE_INFINITY)
