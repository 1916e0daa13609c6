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

/**
 * Two statements in one message with one `Sync` at its end, which PostgreSQL runs as one transaction: the first sets
 * what the second needs, and ends with it. Unlike two statements in one text they can have values beside them. The
 * results are those of both.
 */
export class NamedStatement extends pg.Query {
  readonly #naming: BoundStatement
  readonly #statement: BoundStatement
  readonly #prepared: string | null
  readonly #sendBefore: number
  #completed = 0

  /**
   * @param prepared the name by which PostgreSQL keeps the second statement; null where it is not kept
   * @param sendBefore `performance.now()` after which they are not sent any more, when they have waited for a connection
   */
  constructor(
    naming: BoundStatement,
    statement: BoundStatement,
    prepared: string | null,
    sendBefore = Number.POSITIVE_INFINITY,
  ) {
    // Without values of its own node-postgres would send the statement as a plain text.
    super({ ...statement, queryMode: 'extended' } as pg.QueryConfig)
    this.#naming = naming
    this.#statement = statement
    // The driver may keep the same text on the same connection, and takes account of its own names only.
    this.#prepared = prepared === null ? null : `with_${prepared}`
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
    const { text, values } = this.#statement
    const name = this.#prepared
    wire.parse({ text: this.#naming.text })
    wire.bind({ values: this.#naming.values })
    // Its row of settings is read like any other.
    wire.describe({ type: 'P' })
    wire.execute({})
    if (name === null) wire.parse({ text })
    else if (!keptBy.get(wire)?.has(name)) {
      // It may have been kept by a use that failed after it; what is not there is closed without an error.
      wire.close({ type: 'S', name })
      wire.parse({ text, name })
    }
    wire.bind({ ...(name !== null && { statement: name }), values })
    wire.describe({ type: 'P' })
    wire.execute({})
    wire.sync()
  }

  /** Called by node-postgres when one of the two statements has run. */
  handleCommandComplete(message: unknown, wire: Wire): void {
    ;(pg.Query.prototype as unknown as Completing).handleCommandComplete.call(this, message, wire)
    this.#completed += 1
    if (this.#completed < 2 || this.#prepared === null) return
    const kept = keptBy.get(wire) ?? new Set()
    keptBy.set(wire, kept.add(this.#prepared))
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
