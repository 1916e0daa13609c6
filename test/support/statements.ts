import pg from 'pg'

/** Every message that this process sends to PostgreSQL while the work is done; each is a round trip. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...call: [string]) {
    sent.push(call[0])
    return Reflect.apply(query, this, call)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}
