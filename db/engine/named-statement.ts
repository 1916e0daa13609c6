import pg from 'pg'
import type { BoundStatement } from './bound-statement.ts'

/** What node-postgres does to send one statement; its types leave it out. */
interface Wire {
  parse(statement: { text: string }): void
  bind(portal: { values: readonly (string | null)[] }): void
  describe(portal: { type: 'P' }): void
  execute(portal: object): void
}
interface Preparing {
  prepare(wire: Wire): void
}

/**
 * Two statements in one message with one `Sync` at its end, which PostgreSQL runs as one transaction: the first sets
 * what the second needs, and ends with it. Unlike two statements in one text they can have values beside them. The
 * results are those of both.
 */
export class NamedStatement extends pg.Query {
  readonly #naming: BoundStatement

  constructor(naming: BoundStatement, { text, values }: BoundStatement) {
    // Without values of its own node-postgres would send the statement as a plain text.
    super({ text, values, queryMode: 'extended' } as pg.QueryConfig)
    this.#naming = naming
  }

  /** Called by node-postgres once the connection is this query's. */
  prepare(wire: Wire): void {
    wire.parse({ text: this.#naming.text })
    wire.bind({ values: this.#naming.values })
    // Its row of settings is read like any other.
    wire.describe({ type: 'P' })
    wire.execute({})
    ;(pg.Query.prototype as unknown as Preparing).prepare.call(this, wire)
  }
}
