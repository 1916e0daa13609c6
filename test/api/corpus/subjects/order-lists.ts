import type { Player } from '../player.ts'
import { AT_60, buying, NOBODY } from './orders.ts'

/** Lists of orders, each filter alone, after two fills, one order that rests and one that was cancelled. */
export async function orderLists(player: Player): Promise<void> {
  const { token, accountId } = player
  const placed: string[] = []
  for (const [symbol, changes, status] of [
    ['ZTLISTA', {}, 'FILLED'],
    ['ZTLISTB', { side: 'SELL' }, 'FILLED'],
    ['ZTLISTA', AT_60, 'OPEN'],
    ['ZTLISTB', AT_60, 'OPEN'],
  ] as const) {
    await player.pin(symbol, 100)
    const { order } = await token.post('/orders', buying(player, symbol, changes))
    await player.order(order.id, status)
    placed.push(order.id)
  }
  await token.delete(`/orders/${placed[3]}`)
  await player.order(placed[3]!, 'CANCELLED')
  const nothing = { side: 'SELL', reduceOnly: true }
  const { order: refused } = await token.post('/orders', buying(player, 'ZTLISTC', nothing))
  for (const query of [
    '',
    `?accountId=${accountId}`,
    `?accountId=${NOBODY}`,
    ...['OPEN', 'PENDING', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED', 'ODD'].map(
      (status) => `?status=${status}`,
    ),
    '?symbol=ZTLISTA',
    '?symbol=ztlista,ZTLISTB',
    `?signalId=${NOBODY}`,
    '?source=signal',
    '?source=manual',
    '?limit=1',
    '?limit=2&offset=1',
    '?limit=0',
    '?limit=501&offset=-1&odd=1',
    '?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z',
    '?from=yesterday',
  ])
    await token.get(`/orders${query}`)
  for (const query of ['limit=1', 'limit=2&offset=1', 'limit=501'])
    await token.get(`/orders/${refused.id}/events?${query}`)
  await token.get('/orders/open-trades')
  await token.get('/orders/open-trades?symbol=ZTLISTA')
  await token.get(`/orders/open-trades?accountId=${NOBODY}`)
}
