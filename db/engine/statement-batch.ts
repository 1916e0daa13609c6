import type { Connection, FieldDef, PoolClient, Submittable } from 'pg'
import type { BoundStatement } from './bound-statement.ts'

export interface BatchedStatement extends BoundStatement {
  name: string | null
}

export type Rows = readonly never[]

const keptBy = new WeakMap<Connection, Set<string>>()

/** Sends one message with one `Sync`, a transaction unless the statements open one. Stops at the first failure. */
export const sendTogether = (client: PoolClient, statements: readonly BatchedStatement[]): Promise<Rows[]> =>
  new Promise((resolve, reject) => client.query(new Batch(client, statements, resolve, reject)))

/** Uses the calls of node-postgres that `pg-cursor` gets. */
class Batch implements Submittable {
  readonly #client: PoolClient
  readonly statements: readonly BatchedStatement[]
  readonly #resolve: (answers: Rows[]) => void
  readonly handleError: (error: unknown) => void
  readonly #answers: Rows[] = []
  #columns: { name: string; read: (text: string) => unknown }[] = []
  #rows: object[] = []
  #unreadable: { error: unknown } | null = null

  constructor(
    client: PoolClient,
    statements: readonly BatchedStatement[],
    resolve: (answers: Rows[]) => void,
    reject: (error: unknown) => void,
  ) {
    this.#client = client
    this.statements = statements.map((statement) => ({
      ...statement,
      // The driver may have the text under its own name.
      name: statement.name && `with_${statement.name}`,
    }))
    this.#resolve = resolve
    this.handleError = reject
  }

  submit(connection: Connection): void {
    const kept = keptBy.get(connection) ?? new Set()
    keptBy.set(connection, kept)
    connection.stream.cork()
    const parsed = new Set<string>()
    const isThere = (name: string): boolean => kept.has(name) || parsed.has(name)
    for (const { text, values, name } of this.statements) {
      // A failed use may have kept the name.
      if (name !== null && !isThere(name)) connection.close({ type: 'S', name }, true)
      if (name === null || !isThere(name)) connection.parse({ text, name: name ?? '', types: [] }, true)
      if (name !== null) parsed.add(name)
      connection.bind({ statement: name ?? '', values }, true)
      connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      read: this.#client.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
    }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      const columns = this.#columns.map(({ name, read }, at) => [
        name,
        fields[at] === null ? null : read(fields[at]!),
      ])
      this.#rows.push(Object.fromEntries(columns) as object)
    } catch (error) {
      this.#unreadable ??= { error }
    }
  }

  handleCommandComplete(_: unknown, connection: Connection): void {
    const name = this.statements[this.#answers.length]?.name
    if (name) keptBy.get(connection)?.add(name)
    this.#answers.push(this.#rows as never[])
    this.#rows = []
  }

  handleReadyForQuery(): void {
    if (this.#unreadable === null) this.#resolve(this.#answers)
    else this.handleError(this.#unreadable.error)
  }
}
