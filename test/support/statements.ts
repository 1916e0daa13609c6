import pg from 'pg'

/** A statement as it is sent, its values beside it. */
export interface SentStatement {
  text: string
  values: readonly unknown[]
}

/** Statements in one message, of which the last is told but for what guards its time. */
interface Batch {
  statements: readonly SentStatement[]
}

/** Every message that this process sends to PostgreSQL while the work is done; each is a round trip. */
export async function statementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (
    this: pg.Client,
    ...call: [string | SentStatement | Batch, unknown[]?]
  ) {
    const [given, values = []] = call
    if (typeof given === 'string') sent.push({ text: given, values })
    else if ('statements' in given)
      sent.push(given.statements.findLast(({ text }) => !text.includes('not_later_than'))!)
    else sent.push(given)
    return Reflect.apply(query, this, call)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}
