import pg from 'pg'
import type { BoundStatement } from './bound-statement.ts'

/** What node-postgres does to send one statement; its types leave it out. */
interface Wire {
  parse(statement: { text: string; name?: string }): void
  bind(portal: { statement?: string; values: readonly (string | null)[] }): void
  describe(portal: { type: 'P' }): void
  execute(portal: object): void
  close(statement: { type: 'S'; name: string }): void
  sync(): void
}

/** Statements that PostgreSQL has kept by their names, for each of its connections. */
const keptBy = new WeakMap<Wire, Set<string>>()

/** A statement of a batch, and the name by which PostgreSQL keeps it; null where it is not kept. */
export interface BatchedStatement extends BoundStatement {
  name: string | null
}

/**
 * Statements in one message with one `Sync` at its end, which PostgreSQL runs one after the other, and as one transaction
 * where they open none themselves. After one that fails the others are not run. Unlike statements in one text they can
 * have values beside them. The results are those of all, in their order.
 */
export class StatementBatch extends pg.Query {
  readonly #statements: readonly BatchedStatement[]
  readonly #sendBefore: number
  #completed = 0

  /**
   * @param statements two at least
   * @param sendBefore `performance.now()` after which they are not sent any more, when they have waited for a connection
   * @param main which of them the batch is for, as node-postgres names it in errors
   */
  constructor(
    statements: readonly BatchedStatement[],
    sendBefore = Number.POSITIVE_INFINITY,
    main = statements.length - 1,
  ) {
    // Without values of its own node-postgres would send the statement as a plain text.
    super({ ...statements[main]!, name: undefined, queryMode: 'extended' } as unknown as pg.QueryConfig)
    this.#statements = statements.map(({ text, values, name }) => ({
      text,
      values,
      // The driver may keep the same text on the same connection, and takes account of its own names only.
      name: name === null ? null : `with_${name}`,
    }))
    this.#sendBefore = sendBefore
  }

  /** Called by node-postgres once there is a connection; an error that is returned, which its types leave out, is that of the query. */
  override readonly submit = ((wire: Wire): Error | null =>
    performance.now() >= this.#sendBefore
      ? new StatementTooLate()
      : (pg.Query.prototype as unknown as Submitting).submit.call(
          this,
          wire,
        )) as unknown as pg.Query['submit']

  /** Called by node-postgres once the connection is this query's. */
  prepare(wire: Wire): void {
    for (const { text, values, name } of this.#statements) {
      if (name === null) wire.parse({ text })
      else if (!keptBy.get(wire)?.has(name)) {
        // It may have been kept by a use that failed after it; what is not there is closed without an error.
        wire.close({ type: 'S', name })
        wire.parse({ text, name })
      }
      wire.bind({ ...(name !== null && { statement: name }), values })
      wire.describe({ type: 'P' })
      wire.execute({})
    }
    wire.sync()
  }

  /** Called by node-postgres when one of the statements has run. */
  handleCommandComplete(message: unknown, wire: Wire): void {
    ;(pg.Query.prototype as unknown as Completing).handleCommandComplete.call(this, message, wire)
    const name = this.#statements[this.#completed]?.name ?? null
    this.#completed += 1
    if (name === null) return
    const kept = keptBy.get(wire) ?? new Set()
    keptBy.set(wire, kept.add(name))
  }
}

interface Submitting {
  submit(wire: Wire): Error | null
}

/** No connection was free before the time of the statement was over; it was not sent. */
class StatementTooLate extends Error {
  override readonly name = 'StatementTooLate'
  /** As PostgreSQL says it of a statement that it cuts off. */
  readonly code = '57014'
  constructor() {
    super('no connection was free before the time of the statement was over')
  }
}

interface Completing {
  handleCommandComplete(message: unknown, wire: Wire): void
}
