import type { Player } from '../player.ts'
import { AT_60, buying, NOBODY } from './orders.ts'

/** Closing everything: of one account, of some symbols, twice by one key, of nothing, and while trading is stopped. */
export async function flatten(player: Player): Promise<void> {
  const { token, person, accountId } = player
  const flat = async (body?: object, headers?: Record<string, string>) =>
    (await token.post('/positions/flatten', body, headers)).flatten
  const ends = async (id: string) => {
    await player.until(`/positions/flatten/${id}`, { 'flatten.status': 'done' })
    await token.get(`/positions/flatten/${id}`)
  }
  const buy = async (symbol: string, changes: object = {}) => {
    await player.pin(symbol, 100)
    const { order } = await token.post('/orders', buying(player, symbol, changes))
    await player.order(order.id, 'orderType' in changes ? 'OPEN' : 'FILLED')
    return order.id as string
  }

  await token.get('/positions/flatten')
  await ends((await flat()).id)
  await flat({ accountId: NOBODY })
  await flat({ accountId: 'mine', symbols: [], reason: '', odd: 1 })
  await flat({ symbols: ['ZTFLATA', 'ztflata'] })
  await token.get(`/positions/flatten/${NOBODY}`)
  await token.get('/positions/flatten?limit=51')

  for (const symbol of ['ZTFLATA', 'ZTFLATB']) await buy(symbol)
  await buy('ZTFLATC', { side: 'SELL', quantity: 3 })
  const entry = await buy('ZTFLATD', AT_60)
  await player.pin('ZTFLATE', 100)
  const waiting = { symbol: 'ZTFLATE', action: 'openLong', accountId, quantity: 1, executeMode: 'pending' }
  const { signal } = await token.post('/signals', waiting)
  await ends((await flat({ accountId, symbols: ['ZTFLATA'], reason: 'one alone' })).id)
  await token.get('/positions')
  const key = { 'Idempotency-Key': 'flatten-once' }
  const all = await flat({ accountId, reason: 'before the figures' }, key)
  await ends(all.id)
  await player.order(entry, 'CANCELLED')
  await flat({ accountId, reason: 'before the figures' }, key)
  await flat({ accountId, reason: 'another reason' }, key)
  await flat({}, key)
  await flat({}, { 'Idempotency-Key': '{{id}}' })
  await token.get('/positions')
  await token.get('/orders')
  for (const { orderId } of all.lines) await token.get(`/orders/${orderId}/events`)
  await token.get(`/signals/${signal.id}`)
  await token.get('/trades')

  await buy('ZTFLATF')
  await person.put(`/settings/halt/${accountId}`, { level: 'fullStop', reason: 'drill' })
  const held = await flat({})
  await player.until(`/positions/flatten/${held.id}`, { 'flatten.lines.0.status': 'held' })
  await token.get(`/positions/flatten/${held.id}`)
  await token.get('/positions/flatten?limit=1')
  await person.delete(`/settings/halt/${accountId}`)
  await ends(held.id)
  await token.get('/positions/flatten')
  await token.get('/positions')
}
