import type { Ledger } from './database.ts'

/**
 * One attempt to place an order. accepted: an order was made. duplicate: its client order id was taken.
 * refused: by a rule. not_received: a scripted fault swallowed it before the venue looked at it.
 */
export interface Submission {
  accountId: string
  /** As sent; null when the sender named none or the body could not be read. */
  clientOrderId: string | null
  outcome: 'accepted' | 'duplicate' | 'rejected' | 'not_received'
  /** The refusal's words, or the fault's mode. */
  message: string | null
  orderId: string | null
  /** When the request reached the venue; epoch milliseconds. */
  at: number
}

export class SubmissionStore {
  readonly #insert
  readonly #ofAccount

  constructor({ database }: Ledger) {
    this.#insert = database.prepare(`
      INSERT INTO submissions (accountId, clientOrderId, outcome, message, orderId, at)
      VALUES (:accountId, :clientOrderId, :outcome, :message, :orderId, :at)`)
    this.#ofAccount = database.prepare(`
      SELECT accountId, clientOrderId, outcome, message, orderId, at
      FROM submissions WHERE accountId = ? ORDER BY seq`)
  }

  insert(submission: Submission): void {
    this.#insert.run({ ...submission })
  }

  /** All attempts of an account, oldest first. */
  listOf(accountId: string): Submission[] {
    return this.#ofAccount.all(accountId) as unknown as Submission[]
  }
}
