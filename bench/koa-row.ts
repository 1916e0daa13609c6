import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import pg from 'pg'
import getRawBody from 'raw-body'

/** The bare handler: a process of its own that writes the body of every request as one row, and answers. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
await pool.query(
  'create table if not exists bench_rows (id bigint generated always as identity, body jsonb not null)',
)

const koa = new Koa()
koa.use(async (ctx) => {
  const body = JSON.parse(await getRawBody(ctx.req, { encoding: 'utf8' })) as object
  const { rows } = await pool.query<{ id: string }>(
    'insert into bench_rows (body) values ($1) returning id',
    [JSON.stringify(body)],
  )
  ctx.status = 201
  ctx.body = { id: rows[0]!.id }
})
const server = koa.listen(0, '127.0.0.1', () => {
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, () => process.exit())
