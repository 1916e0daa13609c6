import pg from 'pg'

/** A statement as it is sent, its values beside it. */
export interface SentStatement {
  text: string
  values: readonly unknown[]
}

/** Every message that this process sends to PostgreSQL while the work is done; each is a round trip. */
export async function statementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...call: [string | SentStatement, unknown[]?]) {
    const [given, values = []] = call
    sent.push(typeof given === 'string' ? { text: given, values } : given)
    return Reflect.apply(query, this, call)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}
