import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { runStatement } from '#local/servers/postgres.ts'
import type { Stack } from '#test/support/stack.ts'

/** A state in which nothing changes for so long is the last one; milliseconds. */
const STILL_MS = 60

/** Everything of the user that an answer may show, but for what a mere look of the service changes. */
const stateOf = (accountId: string): string => `
  with mine as (select user_id as id from accounts where id = '${accountId}')
  select
    (select json_agg(json_build_object('id', client_order_id, 'status', status, 'filled', filled_quantity::float8)
       order by client_order_id) from orders where user_id = (select id from mine)) as orders,
    (select json_agg(json_build_object('symbol', symbol, 'quantity', case side when 'LONG' then quantity else -quantity
       end::float8) order by symbol)
       from positions where account_id = '${accountId}' and quantity <> 0) as positions,
    (select json_agg(json_build_array(id, status, exit_status) order by id) from signals
       where user_id = (select id from mine)) as signals,
    (select json_agg(json_build_array(id, status, quantity, realised_pnl) order by id) from trades
       where user_id = (select id from mine)) as trades,
    (select count(*)::int from signals where account_id = '${accountId}' and status = 'pending' and held_price is null)
      as unpriced,
    (select count(*)::int from fills where account_id = '${accountId}') as fills,
    (select count(*) from signal_events where signal_id in (select id from signals where user_id = (select id from mine)))
      as signal_events`

interface State {
  /** Signals that wait for a person, and of which the price at which they began to is not known yet. */
  unpriced: number
  fills: number
  signals: unknown[] | null
  orders: { id: string; status: string; filled: number }[] | null
  positions: { symbol: string; quantity: number }[] | null
}

/** Throws unless orders and positions are those of the venue, and stay as they are. */
export async function assertSettled(stack: Stack): Promise<void> {
  const read = async () =>
    (await runStatement(stack.addresses.database, stateOf(stack.accountId))).rows[0] as State
  const state = await read()
  const ledger = await stack.venue.ledger()
  assert.deepEqual(
    state.positions ?? [],
    ledger.positions
      .map(({ symbol, qty }) => ({ symbol, quantity: Number(qty) }))
      .toSorted((one, other) => (one.symbol < other.symbol ? -1 : 1)),
  )
  assert.equal(state.unpriced, 0)
  assert.equal(state.fills, ledger.orders.flatMap(({ fills }) => fills).length)
  const ours = new Map(state.orders?.map((order) => [order.id, order]))
  for (const { client_order_id: id, filled_qty, status, type } of ledger.orders) {
    const known = ours.get(id)
    if (known === undefined) continue
    assert.equal(known.filled, Number(filled_qty), id)
    const hasEnded = /^(filled|canceled|expired|rejected|replaced)$/.test(status)
    assert.ok(hasEnded || type !== 'market', id)
    assert.equal(/^(FILLED|CANCELLED|EXPIRED|REJECTED)$/.test(known.status), hasEnded, id)
  }
  if (state.orders === null && state.signals === null) return
  await sleep(STILL_MS)
  assert.deepEqual(await read(), state)
}

/** Waits until the service follows the account at its broker: what an order does before that is found out later. */
export async function assertFollowed({ addresses, accountId }: Stack): Promise<void> {
  const followed = `select from account_feeds where account_id = '${accountId}' and compared_at is not null`
  assert.equal((await runStatement(addresses.database, followed)).rowCount, 1)
}
