import type { Ledger } from './database.ts'

/** duplicate: the client order id was taken. rejected: by a rule. not_received: a scripted fault swallowed it. */
export interface Submission {
  accountId: string
  /** Null when none was sent, or the body was unreadable. */
  clientOrderId: string | null
  outcome: 'accepted' | 'duplicate' | 'rejected' | 'not_received'
  message: string | null
  orderId: string | null
  /** Arrival; epoch milliseconds. */
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

  listOf(accountId: string): Submission[] {
    return this.#ofAccount.all(accountId) as unknown as Submission[]
  }
}
